/** `3 errors`, `1 file`, `no finding`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number === 0 ? 'no' : String(number)} ${number === 1 ? one : many}`;

export const formatMebibytes = (bytes: number): string =>
  `${(bytes / (1024 * 1024)).toFixed(bytes < 10 * 1024 * 1024 ? 1 : 0)} MiB`;
