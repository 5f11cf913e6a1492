import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withCommonOptions, refuse, type CliCommand } from './terminal.ts';

/** Where the build puts the server, seen from the built command. */
const server = new URL('../server/main.cjs', import.meta.url);

/** `kube-backoff lsp --stdio` */
export const lspCommand: CliCommand = (program) => {
  const command = program
    .command('lsp')
    .description('Run the language server, for any editor.')
    .option(
      '--stdio',
      'speak over standard input and output; the only way there is, so it can be left out',
    )
    .option('--clientProcessId <pid>', 'end when this process does, as editors ask')
    .action(async () => {
      if (!existsSync(fileURLToPath(server))) {
        refuse(
          command,
          `the language server is not beside the command, at ${fileURLToPath(server)}`,
        );
      }
      // The server reads how to connect from the command line of the process, which it now is.
      if (!process.argv.includes('--stdio')) process.argv.push('--stdio');
      await import(server.href);
    });
  withCommonOptions(command);
};
