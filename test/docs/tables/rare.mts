/** Commands for contributors. `npm test -- weekly` runs them. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { stages } from '../../../scripts/test/stages.mjs';
import { copy, inCopy, succeeds } from '../copy.mts';
import { prints, type Entry } from '../entry.mts';
import { ROOT } from '../pages.mts';
import { serviceProfile } from './serviceProfile.mts';

const quickly = { VOICEAGENT_BENCH: 'quick' };

export const rare: Entry[] = [
	{
		command: 'npm run lint',
		folder: '.',
		async run() {
			// Something that n8n does not allow is found, and nothing else.
			const file = join(copy.root, 'nodes/documented.ts');
			writeFileSync(file, "import { readFileSync } from 'node:fs';\n\nreadFileSync('file');\n");
			const { code, output } = await inCopy(this.command);
			rmSync(file);
			assert.notEqual(code, 0, output);
			const named = [...output.matchAll(/^\S*\/(\w+(?:\.\w+)*\.(?:ts|json))$/gm)];
			assert.deepEqual(new Set(named.map(([, name]) => name)), new Set(['documented.ts']), output);
		},
	},
	{
		command: 'npm run publisher',
		folder: '.',
		// test/docs/publisher.test.mts runs it with another publisher.
		run: () => undefined,
	},
	{
		command: 'npm run test:profile -- service-profile.json',
		folder: '.',
		async run() {
			const file = join(copy.root, 'service-profile.json');
			writeFileSync(file, JSON.stringify(serviceProfile));
			const { output } = await succeeds(this.command);
			rmSync(file);
			assert.match(output, /^works {2}Recording: Delete: deleted$/m);
			assert.doesNotMatch(output, /^FAILS/m);
		},
	},
	{
		command: 'npm run format',
		folder: '.',
		async run() {
			const file = join(copy.root, 'documented.mts');
			writeFileSync(file, 'export const  text = "a" ;');
			await succeeds(this.command);
			assert.equal(readFileSync(file, 'utf8'), "export const text = 'a';\n");
			rmSync(file);
		},
	},
	{
		command: 'npm version patch --no-git-tag-version',
		folder: '.',
		async run() {
			for (const cwd of ['.', 'emulator', 'file-decryptor']) {
				const versions = () =>
					['package.json', 'package-lock.json'].map((file) => versionIn(join(cwd, file)));
				const [before = ''] = versions();
				await succeeds(this.command, { cwd });
				const after = versions();
				await succeeds(this.command.replace('patch', before), { cwd });
				const next = before.replace(/\d+$/, (patch) => String(Number(patch) + 1));
				assert.deepEqual(after, [next, next]);
			}
		},
	},
	{
		command: 'npm test -- test/unit/retention.test.ts',
		folder: '.',
		async run() {
			const { output } = await succeeds(this.command);
			assert.match(output, /^unit +\d+ +0 +\d+ /m);
			assert.match(output, /^PASS test\/unit\/retention\.test\.ts/m);
			assert.doesNotMatch(output, /^PASS (?!test\/unit\/retention)/m);
		},
	},
	{
		command: 'npm run test:quick',
		folder: '.',
		// CI runs each of its stages.
		run() {
			const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
			const [, names = ''] = /"test:quick": "node scripts\/test\.mjs (.*)"/.exec(manifest) ?? [];
			const known = stages.map(({ name }) => name);
			const unknown = names.split(' ').filter((name) => !known.includes(name));
			assert.deepEqual(unknown, []);
		},
	},
	prints('npm run test:faults -- 7 18', [
		/^7 +A small answer .*as promised, 1 test +\d+\.\d$/m,
		/^18 +The Base URL .*as promised, \d+ tests +\d+\.\d$/m,
		/^2 of 2 promises held, 0 broken, 0 not tested here$/m,
	]),
	prints('npm run bench', [/^Start: \d/m, /^List of 10: \d/m, /^Download: \d/m], {
		folder: 'emulator',
		env: quickly,
	}),
	{
		command: 'npm run bench',
		folder: 'file-decryptor',
		async run() {
			const { stdout } = await succeeds(this.command, { cwd: 'file-decryptor', env: quickly });
			const [head = ''] = /^\| What .*$/m.exec(stdout) ?? [];
			const columns = (row: string) => row.split('|').map((cell) => cell.trim());
			const readme = readFileSync(join(ROOT, 'file-decryptor/README.md'), 'utf8');
			assert.ok(
				readme.split('\n').some((row) => columns(row).join() === columns(head).join()),
				stdout,
			);
			assert.match(stdout, /^\| start-up, 20 kB, fastest +\| \d+ ms/m);
		},
	},
	prints('npm test -- output.test.mts', [/^ℹ fail 0$/m, /^ℹ pass [1-9]/m], {
		folder: 'file-decryptor',
	}),
	prints('npm run typecheck', [], { folder: 'file-decryptor' }),
];

function versionIn(file: string): string {
	const manifest = readFileSync(join(copy.root, file), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}
