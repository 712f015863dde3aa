/** Runs the cases of test/vectors/field of one kind. */
import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import { casesOf, type Kind, waitsFor } from './cases.mts';
import { holds, type Options, type Outcome, type Seen } from './outcome.mts';

type Run<Input> = (t: TestContext, input: Input, options: Options) => Promise<Seen>;

interface Control<Input> {
	input: Input;
	holds: Outcome;
	/** As near to it as can be. */
	doesNotHold: Outcome;
}

/**
 * Makes a test of each case of a kind. A case that waits must not hold yet: once it does, it has to
 * leave waiting.json.
 *
 * @param controls cases of ours, which show what the runner can see. Without them, all cases would
 * seem to wait if the runner is broken.
 */
export function fieldCases<Input>(
	kind: Kind,
	controls: Array<Control<Input>>,
	run: Run<Input>,
): void {
	suite(`field cases: ${kind}`, { concurrency: 4 }, () => {
		for (const { input, holds: wanted, doesNotHold } of controls) {
			test(`the runner sees ${JSON.stringify(wanted)}`, async (t) => {
				const seen = await run(t, input, {});
				const isHeld = async (outcome: Outcome) => await holds([outcome], async () => seen);
				assert.equal(await isHeld(wanted), true, shown(seen));
				assert.equal(await isHeld(doesNotHold), false, shown(seen));
			});
		}

		for (const { id, why, input, accept } of casesOf<Input>(kind)) {
			const subject = waitsFor.get(id);
			const title = subject === undefined ? '' : ` (does not hold yet: ${subject})`;
			test(`${id}${title}`, async (t) => {
				let seen: Seen = {};
				const attempt = async (options: Options) => (seen = await run(t, input, options));
				const isHeld = await holds(accept, attempt);
				if (subject === undefined) assert.ok(isHeld, `${why}\nSeen: ${shown(seen)}`);
				else assert.ok(!isHeld, `${id} holds now: remove it from test/vectors/field/waiting.json`);
			});
		}
	});
}

const shown = (seen: Seen) => JSON.stringify(seen).slice(0, 2_000);
