/** Words of other systems, and of old documentation, for fields of a `retryStrategy`. */
const words: ReadonlyMap<string, string> = new Map(
  Object.entries({
    retryPolicy: ['retryOn', 'policy', 'on', 'restartPolicy'],
    limit: ['retries', 'maxRetries', 'maxAttempts', 'attempts', 'count', 'backoffLimit', 'steps'],
    expression: ['when', 'condition', 'if', 'retryWhen'],
    backoff: ['delay', 'wait', 'retryBackoff'],
    duration: ['interval', 'initial', 'initialInterval', 'initialDelay', 'base', 'baseDelay'],
    factor: ['multiplier', 'exponent', 'rate', 'backoffRate'],
    cap: ['max', 'maxInterval', 'maxDelay', 'maxWait', 'ceiling'],
    maxDuration: ['timeout', 'maxElapsed', 'maxElapsedTime', 'deadline', 'maxTime'],
  }).flatMap(([field, meant]) => meant.map((word) => [word, field] as const)),
);

/** `retryOn` → `retryPolicy`, `maxInterval` → `cap`. */
export const meantBy = (key: string): string | undefined => words.get(key);
