/** A text in which template actions are replaced by harmless characters, offsets unchanged. */
export type Masked = {
  readonly text: string;
  /** Whether the text is a template of Helm's language rather than YAML. */
  readonly isTemplate: boolean;
};

export const filler = '\uE000';

/**
 * Replaces Helm actions so that the rest parses as YAML, character by character.
 *
 * A line of actions alone becomes a comment, an action inside a line becomes filler; comments of the template
 * and actions over several lines too. Argo's tags (`{{inputs.parameters.n}}`) are left as they are.
 */
export function maskTemplates(text: string): Masked {
  if (!text.includes('{{')) return { text, isTemplate: false };
  const actions = [
    ...text.matchAll(/\{\{-?\s*(?:\/\*[^]*?\*\/|"[^"\n]*"|`[^`]*`|[^}"`]|\}(?!\}))*\}\}/g),
  ];
  const helm = actions.filter(([action]) => isHelmAction(action));
  if (helm.length === 0) return { text, isTemplate: false };
  let masked = '';
  let from = 0;
  for (const match of helm) {
    const [action] = match;
    masked += text.slice(from, match.index) + blank(action, filler);
    from = match.index + action.length;
  }
  masked += text.slice(from);
  return { text: withoutActionLines(masked.split('\n')).join('\n'), isTemplate: true };
}

/** How far a block scalar's text is moved in, and the key that it belongs to. */
type BlockText = { readonly parent: number; readonly text: number };

const actionLine = /^[ \t]*\uE000[\s\uE000]*$/;

/**
 * Turns lines that hold nothing but actions into comments.
 *
 * In a block scalar they stay as they are: they are part of its text. Only those further left than the text,
 * which would end it, are moved in.
 */
function withoutActionLines(lines: readonly string[]): readonly string[] {
  let block: BlockText | undefined;
  let hasBegun = false;
  return lines.map((line, index) => {
    const indent = line.search(/\S/);
    const isAction = actionLine.test(line);
    if (block !== undefined && indent >= 0 && !isAction && indent <= block.parent) {
      block = undefined;
    }
    if (block === undefined) {
      block = isAction ? undefined : blockAfter(lines, index);
      hasBegun = false;
      return isAction ? `#${line.slice(1).replaceAll(filler, ' ')}` : line;
    }
    if (!isAction) {
      hasBegun ||= indent >= 0;
      return line;
    }
    // The first line of a block decides where its text stands.
    if (hasBegun ? indent >= block.text : indent === block.text) return line;
    const rest = line.length - block.text;
    return rest > 0
      ? `${' '.repeat(block.text)}#${' '.repeat(rest - 1)}`
      : line.replaceAll(filler, ' ');
  });
}

/** Where the text of the block scalar stands whose header ends a line. */
function blockAfter(lines: readonly string[], header: number): BlockText | undefined {
  const line = lines[header] ?? '';
  if (!/(?:^|[\s:])[|>][-+\d]{0,2}\s*(?:#.*)?$/.test(line)) return undefined;
  const [lead = ''] = /^\s*(?:- +)*/.exec(line) ?? [];
  const isItem = /^[|>]/.test(line.slice(lead.length));
  const parent = isItem ? lead.lastIndexOf('-') : lead.length;
  for (let index = header + 1; index < lines.length; index += 1) {
    const next = lines[index] ?? '';
    const indent = next.search(/\S/);
    if (indent === -1 || actionLine.test(next)) continue;
    return indent > parent ? { parent, text: indent } : undefined;
  }
  return undefined;
}

/**
 * Replaces `${NAME}` where it stands in the way of the parse, as in `{limit: ${LIMIT}}`.
 *
 * envsubst, clusterctl and Flux fill it in before anyone reads YAML.
 */
export function maskVariables({ text }: Masked): Masked | undefined {
  const masked = text.replaceAll(/\$\{\w[^{}\n]{0,200}\}/g, (variable) => blank(variable, filler));
  return masked === text ? undefined : { text: masked, isTemplate: true };
}

/** A block scalar's value with its actions back in place; they keep their order and lengths. */
export function unmaskBlock(value: string, masked: string, written: string): string {
  const runs = new RegExp(`${filler}+`, 'g');
  const actions = [...masked.matchAll(runs)].map(({ index, 0: run }) =>
    written.slice(index, index + run.length),
  );
  let next = 0;
  return value.replaceAll(runs, (run) => {
    const action = actions[next] ?? run;
    next += 1;
    return action.length === run.length ? action : run;
  });
}

const keywords =
  /^(if|else|end|range|with|define|block|template|include|tpl|toYaml|default|quote|required|lookup|printf|nindent|indent|fail|and|or|not|eq|ne|lt|gt|le|ge|coalesce|ternary|list|dict|merge|toJson|fromYaml|now|randAlphaNum|int|int64|kindIs|empty|hasKey|get|dig|trunc|lower|upper|squote|b64enc|sha256sum|break|continue|len|index)\b/;

/** Helm and Go templates, as against Argo's tags, which name a variable of the workflow. */
function isHelmAction(action: string): boolean {
  if (action.startsWith('{{-') || action.endsWith('-}}')) return true;
  const body = action.slice(2, -2).trim();
  if (body.startsWith('.') || /^[$("`/]/.test(body) || keywords.test(body)) return true;
  // A variable of a workflow is one word; words behind one another are a call.
  return /^[A-Za-z]\w*\s+[^\s=]|\|/.test(body) && !body.startsWith('=');
}

const blank = (action: string, character: string): string =>
  action.replaceAll(/[^\r\n]/g, character);
