/** The `npm test` that this test is a part of. It cannot run itself again. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

export const NOT_IN_NPM_TEST =
	'this is not a part of `npm test` with all stages, which runs this command';

/** What `scripts/test.mjs` says of the run that this one is a part of. */
export function npmTest(): { isAll: boolean; stages: string[]; passed: string[] } | undefined {
	const text = process.env.VOICEAGENT_TEST_RUN;
	return text === undefined ? undefined : (JSON.parse(text) as ReturnType<typeof npmTest>);
}

/** The tests of a package take minutes. `npm test` has run them by this command just before, as a stage. */
export function hasPassedInNpmTest(context: TestContext, stage: string): void {
	const run = npmTest();
	if (!run?.stages.includes(stage)) return context.skip(NOT_IN_NPM_TEST);
	assert.ok(run.passed.includes(stage), `The stage ${stage} has not passed.`);
}
