import { families } from '../../engine/families/index.ts';
import { pageOfFamily, policyPage } from '../../engine/reference.ts';
import { knownNames } from '../../server/src/analysis/configuration.ts';
import { configurationSchema } from '../../server/src/analysis/configurationSchema.ts';
import { familyPage } from './familyPage.ts';
import { showcase, type Fixture } from './findings.ts';
import { indexPage } from './indexPage.ts';
import { generalPage } from './policyPage.ts';
import { manifestWithNames } from './settings.ts';

/** Every file that is written from the families, by its path. */
export function generated(
  fixtures: readonly Fixture[],
  manifest: Parameters<typeof manifestWithNames>[0],
): ReadonlyMap<string, string> {
  const shown = showcase(families, fixtures);
  const files = new Map<string, string>();
  files.set('docs/reference/README.md', indexPage(families));
  files.set(`docs/reference/${policyPage}`, generalPage(shown));
  for (const family of families) {
    files.set(`docs/reference/${pageOfFamily(family.id)}`, familyPage(family, shown));
  }
  const schema = JSON.stringify(configurationSchema(knownNames(families)), null, 2);
  files.set('schemas/kube-backoff.schema.json', `${schema}\n`);
  files.set('package.json', `${JSON.stringify(manifestWithNames(manifest), null, 2)}\n`);
  return files;
}
