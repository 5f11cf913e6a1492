/** What package.json says of the project. Generated: `npm run generate`. */
export const version = '0.1.0';
export const repository = 'https://github.com/kube-backoff/kube-backoff';
