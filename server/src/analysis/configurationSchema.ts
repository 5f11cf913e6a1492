import { severities } from '../../../engine/finding.ts';
import type { KnownNames } from './configuration.ts';

/** The JSON Schema of `.kube-backoff.yaml`, for completion and checks in any editor. */
export function configurationSchema({ systems, codes }: KnownNames): object {
  const system = { enum: [...systems].toSorted() };
  const code = { enum: [...codes].toSorted() };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Kube Backoff',
    description: 'Where the manifests run, and what Kube Backoff says about them.',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      versions: {
        description:
          'The versions that run, by system. Without one, the version whose source was read is assumed.',
        type: ['object', 'null'],
        propertyNames: system,
        additionalProperties: {
          type: ['string', 'number'],
          pattern: String.raw`^\s*v?\d+\.\d+(?:\.\d+)?(-[0-9A-Za-z.-]+)?(?:\+.*)?\s*$`,
        },
        examples: [{ kubernetes: '1.34', 'argo-workflows': '3.7.9' }],
      },
      gates: {
        description: 'Feature gates that differ from their defaults.',
        type: ['object', 'null'],
        additionalProperties: { type: 'boolean' },
      },
      controllers: {
        description:
          'What is set on controllers outside any manifest: their flags and configuration, by system.',
        type: ['object', 'null'],
        propertyNames: system,
        additionalProperties: {
          type: ['object', 'null'],
          additionalProperties: { type: ['string', 'number', 'boolean'], minLength: 1 },
        },
        examples: [{ 'cert-manager': { certificateRequestMinimumBackoffDuration: '10m' } }],
      },
      disabledSystems: {
        description: 'Systems whose policies are left alone.',
        type: ['array', 'null'],
        items: system,
      },
      severity: {
        description: 'How severe a finding is here, by its code.',
        type: ['object', 'null'],
        propertyNames: code,
        additionalProperties: { enum: [...severities, 'off'] },
      },
      ignore: {
        description:
          'Paths as in .gitignore, from the folder of this file: whole files, or some findings in them.',
        type: ['array', 'null'],
        items: {
          anyOf: [
            { type: ['string', 'number', 'boolean'], minLength: 1 },
            {
              type: 'object',
              additionalProperties: false,
              required: ['path'],
              properties: {
                path: { type: ['string', 'number', 'boolean'], minLength: 1 },
                codes: { type: ['array', 'null'], items: code },
              },
            },
          ],
        },
      },
    },
  };
}
