import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRetryExpression } from '../../../engine/expression/check.ts';
import { evaluateRetryExpression } from '../../../engine/expression/evaluate.ts';
import { explainRetryExpression } from '../../../engine/expression/explain.ts';
import { applied } from './problemsOf.ts';

const word = fc.constantFrom(
  ...`lastRetry.exitCode lastRetry.status lastRetry.x retries asInt( asFloat( ) ( [ ] { } , : ; . ?. ?? ? == = != < > <=
  in not and or && || ! + - * / % ** .. | # 'Failed' '2' "a" 2 1.5 0x 1_0 true nil let x if else {{retries}} {{a}} {{ }}
  ' " \` \\ // /* matches contains filter any map len 'é' é 😀 \n`
    .split(' ')
    .map((w) => w.trim()),
);
const jumble = fc.array(word, { maxLength: 14 }).map((words) => words.join(' '));
const glued = fc.array(word, { maxLength: 14 }).map((words) => words.join(''));
const anyText = fc.oneof(fc.string({ unit: 'binary' }), jumble, glued);

describe('whatever the text', () => {
  it('answers, with spans inside the text and edits that do not overlap', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, hasMessage) => {
        const { problems, uses } = checkRetryExpression(text, { hasMessage });
        explainRetryExpression(text);
        evaluateRetryExpression(text, { exitCode: '1', status: 'Failed' });
        const edits = problems.flatMap((p) => p.fixes.flatMap((fix) => fix.edits));
        for (const { at } of [...problems, ...uses, ...edits]) {
          expect(at.start).toBeGreaterThanOrEqual(0);
          expect(at.end).toBeGreaterThanOrEqual(at.start);
          expect(at.end).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a preferred fix', () => {
  const operand = fc.constantFrom('lastRetry.exitCode', 'retries', 'lastRetry.duration');
  const literal = fc.oneof(
    fc.nat(300).map(String),
    fc.nat(300).map((n) => `'${n}'`),
  );
  const operator = fc.constantFrom('==', '!=', '<', '>', '<=', '>=', '=', '===');
  const bad = fc.tuple(operand, operator, literal).map((parts) => parts.join(' '));

  it('removes its problem, and the next ones, until none is left', () => {
    fc.assert(
      fc.property(bad, (start) => {
        let text = start;
        for (let round = 0; round < 4; round++) {
          const fix = checkRetryExpression(text).problems.flatMap((p) => p.fixes)[0];
          if (fix === undefined) break;
          text = applied(text, fix.edits);
        }
        const left = checkRetryExpression(text).problems.map((p) => p.kind);
        // `asInt(retries) >= 0` is well-formed and still has only one answer.
        expect(left.filter((k) => k !== 'always-true' && k !== 'never-true')).toEqual([]);
      }),
    );
  });
});

describe('a condition called constant', () => {
  const leaf = fc.oneof(
    fc
      .tuple(fc.constantFrom('==', '!=', '<', '>', '<=', '>='), fc.integer({ min: -2, max: 6 }))
      .map(([op, n]) => `asInt(lastRetry.exitCode) ${op} ${n}`),
    fc
      .tuple(fc.constantFrom('==', '!='), fc.constantFrom('Failed', 'Error'))
      .map(([op, s]) => `lastRetry.status ${op} '${s}'`),
  );
  const tree = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc
        .tuple(tie('node'), fc.constantFrom('and', 'or'), tie('node'))
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
    ),
  })).node;

  it('has that answer for every run', () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: -1, max: 255 }), fc.boolean(), (text, code, isFailed) => {
        const status = isFailed ? 'Failed' : 'Error';
        for (const { kind, at } of checkRetryExpression(text).problems) {
          const part = text.slice(at.start, at.end);
          const outcome = evaluateRetryExpression(part, { exitCode: String(code), status });
          expect(outcome.kind).toBe(kind === 'always-true' ? 'retries' : 'stops');
        }
      }),
      { numRuns: 1000 },
    );
  });
});
