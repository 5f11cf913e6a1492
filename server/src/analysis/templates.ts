/** A text in which template actions are replaced by harmless characters, offsets unchanged. */
export type Masked = {
  readonly text: string;
  /** Whether the text is a template of Helm's language rather than YAML. */
  readonly isTemplate: boolean;
};

const filler = '\uE000';

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
  const lines = masked
    .split('\n')
    .map((line) =>
      /^[ \t]*\uE000[\s\uE000]*$/.test(line) ? `#${line.slice(1).replaceAll(filler, ' ')}` : line,
    );
  return { text: lines.join('\n'), isTemplate: true };
}

const keywords =
  /^(if|else|end|range|with|define|block|template|include|tpl|toYaml|default|quote|required|lookup|printf|nindent|indent|fail|and|or|not|eq|ne|lt|gt|le|ge|coalesce|ternary|list|dict|merge|toJson|fromYaml|now|randAlphaNum|int|int64|kindIs|empty|hasKey|get|dig|trunc|lower|upper|squote|b64enc|sha256sum|break|continue|len|index)\b/;

/** Helm and Go templates, as against Argo's tags, which name a variable of the workflow. */
function isHelmAction(action: string): boolean {
  if (action.startsWith('{{-') || action.endsWith('-}}')) return true;
  const body = action.slice(2, -2).trim();
  return body.startsWith('.') || /^[$("`/]/.test(body) || keywords.test(body);
}

const blank = (action: string, character: string): string =>
  action.replaceAll(/[^\r\n]/g, character);
