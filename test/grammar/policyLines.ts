const opensPolicy =
  /^([\t ]*(?:-[\t ]+)?)["']?(?:retryStrategy|retry|retries|remediation|connectionBackoff)["']?[\t ]*:(?:[\t ]|$)/;
const isPolicy =
  /^[\t ]*(?:-[\t ]+)*["']?(?:backoffLimit|backoffLimitPerIndex|maxFailedIndexes|activeDeadlineSeconds|startingDeadlineSeconds|failedJobsHistoryLimit|successfulJobsHistoryLimit|lockTimeoutSeconds|renewBefore|renewBeforePercentage|certificateRequestMinimumBackoffDuration|certificateRequestMaximumBackoffDuration|retryInterval|duration|backoffDelay|backoffPolicy)["']?[\t ]*:[\t ]/;
const isFlag = /--[a-z0-9-]*(?:retry|retries|backoff|requeue|cooldown)[a-z0-9-]*=/;

/** The lines that belong to a policy, told by indentation alone: what the grammar may touch. */
export function policyLines(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  let column: number | undefined;
  lines.forEach((line, at) => {
    if (column !== undefined && ends(line, column)) column = undefined;
    const opens = opensPolicy.exec(line);
    if (column === undefined && opens !== null) column = (opens[1] ?? '').length;
    if (column !== undefined || isPolicy.test(line) || isFlag.test(line)) found.add(at);
  });
  return found;
}

/** Blank lines, comments and template lines end nothing; a bracket or a list may stand at the key's own column. */
function ends(line: string, column: number): boolean {
  if (/^[\t ]*(?:$|#|\{\{)/.test(line)) return false;
  const indentation = line.search(/[^\t ]/);
  if (indentation === column) return !/^[\t ]*(?:[}\]]|-[\t ])/.test(line);
  return indentation < column;
}
