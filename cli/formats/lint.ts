import { jsonText } from '../foreignText.ts';
import type { LintDetails } from '../lintReport.ts';
import type { Styles } from '../terminal.ts';
import { renderGithub } from './github.ts';
import { renderJunit } from './junit.ts';
import { renderSarif } from './sarif.ts';
import { renderLintText } from './text.ts';

export const formatNames = ['text', 'json', 'sarif', 'github', 'junit'] as const;
export type LintFormat = (typeof formatNames)[number];

/** The result of `lint` in one of its formats, line break at the end. */
export function renderLint(format: LintFormat, details: LintDetails, styles: Styles): string {
  switch (format) {
    case 'text':
      return renderLintText(details, styles);
    case 'json':
      return `${jsonText(details.report)}\n`;
    case 'sarif':
      return renderSarif(details);
    case 'github':
      return renderGithub(details);
    case 'junit':
      return renderJunit(details);
  }
}
