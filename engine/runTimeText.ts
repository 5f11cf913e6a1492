/**
 * Whether a text is filled in later: a template tag, a Helm expression, `$(VAR)`, `${VAR}`, or a mark to be replaced.
 *
 * Such a value is unknown here, never wrong.
 */
export function isRunTimeText(text: string): boolean {
  return (
    encloses(text, '{{', '}}') ||
    encloses(text, '<%', '%>') ||
    /\$\([\w.-]+\)|\$\{[^}]{1,200}\}|<<[\w.-]+>>/.test(text) ||
    placeholder.test(text) ||
    text.startsWith('#@ ')
  );
}

/** A whole value that a tool or a reader puts another in for: `<seconds>`, `__VAR__`, `@var@`, `%VAR%`, `((var))`. */
const placeholder =
  /^(?:<[\w .-]{1,80}>|__\w{1,80}__|@[\w.-]{1,80}@|%[\w.-]{1,80}%|\(\([^()]{1,80}\)\)|#\{[\w.-]{1,80}\}#?)$/;

/** Whether a text has an opening mark with a closing one behind it; one look at each end, however long. */
function encloses(text: string, open: string, close: string): boolean {
  const from = text.indexOf(open);
  return from !== -1 && text.lastIndexOf(close) >= from + open.length;
}

/** The value a template names as its own default: `{{ .Values.n | default 3 }}`, `${n:=3}`. */
export function defaultInTemplate(text: string): string | undefined {
  const whole = text.trim();
  const shell = /^\$\{\w+:?[-=]([^}]*)\}$/.exec(whole);
  if (shell !== null) return unquote(shell[1] ?? '');
  const action = /^\{\{-?([^{}]*?)-?\}\}$/.exec(whole)?.[1]?.trim();
  if (action === undefined) return undefined;
  const literal = '("[^"]*"|`[^`]*`|[\\w.-]+)';
  const piped = new RegExp(
    `\\|\\s*default\\s+${literal}\\s*(?:\\|\\s*(?:quote|int|int64|toString)\\s*)*$`,
  );
  const called = new RegExp(`^default\\s+${literal}\\s+[.$][\\w.]+\\s*(?:\\|\\s*\\w+\\s*)*$`);
  const found = piped.exec(action)?.[1] ?? called.exec(action)?.[1];
  return found === undefined || /^[.$]/.test(found) ? undefined : unquote(found);
}

const unquote = (literal: string): string => literal.replace(/^(["'`])([^]*)\1$/, '$2');
