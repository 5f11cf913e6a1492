import { Option, type Command } from 'commander';
import { families } from '../engine/families/index.ts';
import { systemOf } from '../engine/family.ts';
import {
  refuse,
  withCommonOptions,
  type CliCommand,
  type ColorWish,
  type Terminal,
} from './terminal.ts';

export type StatusOptions = {
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly namespace: readonly string[];
  readonly allNamespaces?: true;
  readonly system: readonly string[];
  readonly format: 'table' | 'json' | 'markdown';
  readonly watch?: true;
  readonly all?: true;
  readonly color: ColorWish;
};

const systems = [...new Set(families.map(systemOf))].toSorted();

/** `kube-backoff status` */
export const statusCommand: CliCommand = (program, terminal) => {
  asStatus(program.command('status'), terminal);
};

/** Makes a command the one that shows what backs off in a cluster; `kubectl backoff` is such a command too. */
export function asStatus(command: Command, terminal: Terminal): void {
  command
    .description('Show what is backing off in a cluster, when it retries next, and why.')
    .option('--context <name>', 'the context of the kubeconfig; the current one by default')
    .option('--kubeconfig <file>', 'the kubeconfig file, instead of KUBECONFIG or ~/.kube/config')
    .option(
      '-n, --namespace <name>',
      "only this namespace; can be given several times. The context's own by default",
      collect,
      [],
    )
    .option('-A, --all-namespaces', 'all namespaces')
    .option(
      '--system <name>',
      `only this system; can be given several times: ${systems.join(', ')}`,
      collect,
      [],
    )
    .addOption(
      new Option('--format <name>', 'the form of the result')
        .choices(['table', 'json', 'markdown'])
        .default('table'),
    )
    .option('-w, --watch', 'go on showing changes until it is interrupted')
    .option('--all', 'also show what is idle')
    .action(async (options: StatusOptions) => {
      const unknown = options.system.find((name) => !systems.includes(name));
      if (unknown !== undefined) {
        refuse(command, `--system knows no "${unknown}": there are ${systems.join(', ')}`);
      }
      if (options.allNamespaces === true && options.namespace.length > 0) {
        refuse(command, 'give either --namespace or -A');
      }
      // The cluster's half is loaded only here: no other command needs it.
      const { runStatus } = await import('./statusCommandRun.ts');
      await runStatus(options, terminal);
    });
  withCommonOptions(command);
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];
