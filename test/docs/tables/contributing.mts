/** Building and testing. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { stages } from '../../../scripts/test/stages.mjs';
import { copy, inCopy, succeeds } from '../copy.mts';
import { prints, weekly, type Entry } from '../entry.mts';
import { ROOT } from '../pages.mts';
import { succeedsIn } from '../shell.mts';
import { folderWith } from '../temporary.mts';

export const contributing: Entry[] = [
	{
		command: 'npm run build',
		folder: '.',
		async run() {
			rmSync(join(copy.root, 'dist'), { recursive: true, force: true });
			await succeeds(this.command);
			for (const file of ['nodes/VoiceAgent/VoiceAgent.node.js', 'icons']) {
				assert.ok(existsSync(join(copy.root, 'dist', file)), file);
			}
		},
	},
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
		command: 'npm run format',
		folder: '.',
		async run() {
			// Elsewhere, because all files of the repository take a quarter of a minute.
			const own = ['package.json', '.prettierrc.js', '.prettierignore'];
			const files = own.map((name) => [name, readFileSync(join(ROOT, name))] as const);
			const folder = folderWith({
				...Object.fromEntries(files),
				'documented.mts': 'export const  text = "a" ;',
			});
			symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
			await succeedsIn(folder, this.command);
			const formatted = readFileSync(join(folder, 'documented.mts'), 'utf8');
			assert.equal(formatted, "export const text = 'a';\n");
		},
	},
	{
		command: 'npm version patch --no-git-tag-version',
		folder: '.',
		async run() {
			for (const cwd of ['.', 'emulator', 'file-decryptor']) {
				const versionIn = (file: string) =>
					(JSON.parse(readFileSync(join(copy.root, cwd, file), 'utf8')) as { version: string })
						.version;
				const versions = () => ['package.json', 'package-lock.json'].map(versionIn);
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
		command: 'npm test',
		folder: '.',
		// This test is a part of it.
		run: () => assert.match(readFileSync(join(ROOT, '.ci/run'), 'utf8'), /^exec npm test$/m),
	},
	{
		command: 'npm run test:quick',
		folder: '.',
		// Its stages run beside this test.
		run() {
			const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
			const [, names = ''] = /"test:quick": "node scripts\/test\.mjs (.*)"/.exec(manifest) ?? [];
			const known = stages.map(({ name }) => name);
			const unknown = names.split(' ').filter((name) => !known.includes(name));
			assert.deepEqual(unknown, []);
		},
	},
	{
		command: 'npm test -- structure',
		folder: '.',
		// It runs beside this test.
		run: () => assert.ok(stages.some(({ name }) => name === 'structure')),
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
	// One round of one file, with values that are known.
	prints(
		'npm run fuzz -- --minutes 10',
		[/^Seed 42: /m, /^[1-9]\d* cases passed with seed 42\.$/m],
		{ instead: 'npm run fuzz -- --seed 42 destinationGuard' },
	),
	prints('npm run fuzz -- recordingTriggerClock --stories 10000 --seed 1', [/^Seed 1: /m], {
		instead: 'npm run fuzz -- recordingTriggerClock --stories 20 --seed 1',
	}),
	prints(
		'npm run soak -- --calls 100 --kills 3',
		[/^HOLDS {2}Every recording is archived byte for byte$/m],
		{ instead: 'npm run soak -- --calls 3 --kills 0 --outages 0 --seed 1' },
	),
	// These take minutes or hours.
	weekly('npm run test:queue -- --calls 100', /- run: npm run test:queue$/m),
	weekly('npm run test:mutation', /- run: npm run test:mutation$/m),
	weekly('npm run test:faults', /- run: npm run test:faults$/m),
	weekly(
		'npm run test:compat -- 2.35.3',
		/^ +n8n: \[.*'2\.35\.3'.*\]$/m,
		/- run: npm run test:compat -- \$\{\{ matrix/,
	),
	prints('npm run test:faults -- 7 18', [
		/^7 +A small answer .*as promised, 1 test +\d+\.\d$/m,
		/^18 +The Base URL .*as promised, \d+ tests +\d+\.\d$/m,
		/^2 of 2 promises held, 0 broken, 0 not tested here$/m,
	]),
	prints('npm run test:unit -- retention', [/^PASS test\/unit\/retention\.test\.ts/m]),
];
