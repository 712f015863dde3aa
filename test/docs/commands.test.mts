/**
 * Runs every command of the documentation as it stands in the page. The table below knows what each one needs and what
 * it does. A command that the table does not know fails the test, so that none is documented that was never run.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

import { findChromium } from '../../harness/editor.mts';
import {
	blocks,
	commands,
	headings,
	readPages,
	repositoryFiles,
	ROOT,
	type Command,
} from './pages.mts';
import {
	Copy,
	encryptedRecording,
	folderWith,
	recording,
	runInShell,
	standIn,
	startRegistry,
	takenPort,
	TEMPORARY,
	type CommandOptions,
	type Ended,
} from './surroundings.mts';

interface Entry {
	/** Exactly as it stands in pages. */
	command: string;
	/** Where a reader of these pages runs it; without it, wherever. */
	folder?: string;
	run(context: TestContext, entry: Entry): Promise<void> | void;
	/** Run while the emulator runs that this command has started. */
	during?: string;
}

const N8N_PORT = 5678;
const EMULATOR_PORT = 8480;
const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const NOT_IN_NPM_TEST = 'this is not a part of `npm test` with all stages, which runs this command';
const ARCHIVED = /archived byte for byte, deleted at the service$/gm;

const files = repositoryFiles();
const pages = readPages(files);
const documented = pages.flatMap((page) => commands(page));
const statusBefore = gitStatus();
const copy = new Copy(files);
/** What `npm install --global` and `npx` of the command line get. */
let registry: Awaited<ReturnType<typeof startRegistry>> | undefined;
const globalBin = join(TEMPORARY, 'global', 'bin');
const players = standIn('ffplay', 'test "$1" = - && cat > played');

const table: Entry[] = [
	// Building

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
			const file = join(copy.root, 'harness/demo/documented.mts');
			writeFileSync(file, 'export const  text = "a" ;');
			await succeeds(this.command);
			assert.equal(readFileSync(file, 'utf8'), "export const text = 'a';\n");
			rmSync(file);
		},
	},

	// Tests: `npm test` cannot run itself again

	{
		command: 'npm test',
		folder: '.',
		run(context) {
			assert.match(readFileSync(join(ROOT, '.ci/run'), 'utf8'), /^exec npm test$/m);
			if (npmTest()?.isAll !== true) return context.skip(NOT_IN_NPM_TEST);
			assert.equal(process.env.npm_lifecycle_event, 'test');
			const manifest = realpathSync(process.env.npm_package_json ?? '');
			assert.equal(manifest, realpathSync(join(ROOT, 'package.json')));
		},
	},
	{
		command: 'npm test',
		folder: 'emulator',
		run: (context) => hasPassedInNpmTest(context, 'emulator'),
	},
	{
		command: 'npm test',
		folder: 'file-decryptor',
		run: (context) => hasPassedInNpmTest(context, 'file-decryptor'),
	},
	{
		command: 'npm test -- unit',
		folder: '.',
		async run() {
			const { output } = await succeeds(this.command);
			assert.match(output, /^unit +\d+ +0 +\d+ /m);
			assert.doesNotMatch(output, /=== .* \((?!setup|unit)/);
			assert.match(output.trimEnd(), /\n\d+ passed, 0 failed.*$/);
		},
	},
	{
		command: 'npm test -- output.test.mts',
		folder: 'file-decryptor',
		async run() {
			const { output } = await succeeds(this.command, { cwd: 'file-decryptor' });
			assert.match(output, /^ℹ fail 0$/m);
			assert.doesNotMatch(output, /^ℹ pass 0$/m);
		},
	},
	{
		command: 'npm run typecheck',
		folder: 'file-decryptor',
		async run() {
			await succeeds(this.command, { cwd: 'file-decryptor' });
			const file = join(copy.root, 'file-decryptor/src/documented.mts');
			writeFileSync(file, "export const number: number = 'text';\n");
			const { code, output } = await inCopy(this.command, { cwd: 'file-decryptor' });
			rmSync(file);
			assert.notEqual(code, 0);
			assert.match(output, /documented\.mts.*TS2322/);
		},
	},

	// Benchmarks and pictures: little of each

	{
		command: 'npm run bench',
		folder: '.',
		async run(context) {
			if (process.platform !== 'linux') return context.skip('measures memory as Linux tells it');
			await succeeds(this.command, { env: { VOICEAGENT_BENCH: 'quick' } });
			// Written where it does no harm; otherwise it is the page.
			const page = (path: string) =>
				headings({ path, text: readFileSync(join(copy.root, path), 'utf8') });
			assert.deepEqual(page('.cache/bench/benchmarks.md'), page('docs/benchmarks.md'));
		},
	},
	{
		command: 'npm run bench',
		folder: 'emulator',
		async run() {
			const { output } = await succeeds(this.command, {
				cwd: 'emulator',
				env: { VOICEAGENT_BENCH: 'quick' },
			});
			for (const measured of [/^Start: \d/m, /^List of 10: \d/m, /^Download: \d/m]) {
				assert.match(output, measured);
			}
		},
	},
	{
		command: 'npm run bench',
		folder: 'file-decryptor',
		async run() {
			const { stdout } = await succeeds(this.command, {
				cwd: 'file-decryptor',
				env: { VOICEAGENT_BENCH: 'quick' },
			});
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
	{
		command: 'npm run screenshots -- node-delete',
		folder: '.',
		async run(context) {
			if (findChromium() === undefined) {
				return context.skip('Chromium is missing: install it, or name it in CHROMIUM_PATH');
			}
			const picture = join(copy.root, 'docs/images/node-delete.png');
			rmSync(picture, { force: true });
			await succeeds(this.command);
			assert.equal(readFileSync(picture).subarray(1, 4).toString(), 'PNG');
			// Taken, it may differ by a pixel.
			copyFileSync(join(ROOT, 'docs/images/node-delete.png'), picture);
		},
	},

	// The demo

	{
		command: 'npm start -- --help',
		folder: '.',
		async run() {
			const { stdout } = await succeeds(this.command);
			assert.match(stdout, /Usage: npm start -- \[options\]/);
			assert.match(stdout, /--once/);
		},
	},
	{
		command: 'npm start',
		folder: '.',
		async run(context) {
			const taken = await takenPort(N8N_PORT, EMULATOR_PORT);
			if (taken) return context.skip(taken);
			const archive = join(copy.root, '.demo/archive');
			const { output } = await inCopy(this.command, {
				until: /Stop with Ctrl\+C/,
				then: async (shown) => {
					assert.equal(shown.match(ARCHIVED)?.length, 6, shown);
					assert.equal(readdirSync(archive).length, 6);
					const [, workflow = ''] = /^ *workflow +(\S+)$/m.exec(shown) ?? [];
					const [, swagger = ''] = /^ *Swagger UI +(\S+)/m.exec(shown) ?? [];
					for (const page of [workflow, swagger]) assert.ok((await fetch(page)).ok, page);
					// It shows a command itself.
					const [place = ''] = /curl -H .*$/m.exec(shown) ?? [];
					assert.match((await succeeds(place)).stdout, /"sessionGuid"/);
					await until(() => readdirSync(archive).length === 7);
				},
			});
			assert.match(output, /Stopping n8n and the service/);
			assert.equal(await takenPort(N8N_PORT, EMULATOR_PORT), false);
		},
	},

	// The emulator

	emulator('cd emulator\nnpm install\nnpm start'),
	emulator('cd emulator\nnpm install\nnpm start -- --in-memory'),
	{
		command: `curl -H 'Token: demo-key' -H 'Content-Type: application/json' \\
  -d '{"to":"+15550100"}' http://127.0.0.1:8480/api/customer/makecall`,
		during: 'cd emulator\nnpm install\nnpm start',
		run: placesCall,
	},
	{
		command:
			"curl --fail --header 'Token: demo-key' --header 'Content-Type: application/json' " +
			`--data '{"to":"+15550100"}' http://127.0.0.1:8480/api/customer/makecall`,
		during: 'cd emulator\nnpm install\nnpm start -- --in-memory',
		run: placesCall,
	},
	{
		command:
			"curl --fail --header 'Content-Type: application/json' " +
			`--data '{"sessionGuid":"${GUID}","format":"mp3","password":"correct horse"}' ` +
			'http://127.0.0.1:8480/control/recordings\n' +
			"curl --fail --header 'Token: demo-key' http://127.0.0.1:8480/api/customer/recordings",
		during: 'cd emulator\nnpm install\nnpm start -- --in-memory',
		async run() {
			const { stdout } = await succeeds(this.command);
			const [, list = ''] = /(\[.*\])\s*$/s.exec(stdout) ?? [];
			const [one] = (JSON.parse(list) as { sessionGuid: string; encrypted: boolean }[]).filter(
				({ sessionGuid }) => sessionGuid === GUID,
			);
			assert.equal(one?.encrypted, true, stdout);
		},
	},
	{
		command:
			"curl --fail --request PUT --header 'Content-Type: application/json' " +
			`--data '{"list":"paged","recordFields":"PascalCase"}' http://127.0.0.1:8480/control/shapes\n` +
			'curl --fail --request DELETE http://127.0.0.1:8480/control/shapes',
		during: 'cd emulator\nnpm install\nnpm start -- --in-memory',
		async run() {
			const { stdout } = await succeeds(this.command);
			assert.match(stdout, /"list":"paged".*"recordFields":"PascalCase"/s);
			assert.equal((await shapes()).list, 'array');
		},
	},
	{
		command:
			"curl --fail --header 'Content-Type: application/json' --data " +
			`'{"match":{"endpoint":"downloadRecording"},"times":2,"fault":{"kind":"drop","afterBytes":1000}}' ` +
			'http://127.0.0.1:8480/control/faults\n' +
			'curl --fail --request DELETE http://127.0.0.1:8480/control/faults',
		during: 'cd emulator\nnpm install\nnpm start -- --in-memory',
		async run() {
			const { stdout } = await succeeds(this.command);
			assert.match(stdout, /"kind":"drop"/);
		},
	},
	{
		command: 'curl --fail http://127.0.0.1:8480/control/requests',
		during: 'cd emulator\nnpm install\nnpm start -- --in-memory',
		async run() {
			const { stdout } = await succeeds(this.command);
			assert.match(stdout, /makecall/);
		},
	},
	{
		command:
			'mkdir -p .demo\n' +
			"curl --fail --header 'Token: demo-key' --output .demo/call.enc " +
			`http://127.0.0.1:8480/api/customer/recordings/${GUID}\n` +
			"node file-decryptor/dist/file-decryptor.cjs --force .demo/call.enc 'correct horse' mp3",
		during: 'cd emulator\nnpm install\nnpm start -- --in-memory',
		async run() {
			await succeeds(this.command);
			const ledger = (await control('recordings')) as { sessionGuid: string; plainBytes: number }[];
			const { plainBytes } = ledger.find(({ sessionGuid }) => sessionGuid === GUID) ?? {};
			assert.equal(readFileSync(join(copy.root, '.demo/call.mp3')).length, plainBytes);
		},
	},
	{
		command: 'npm install',
		folder: 'emulator',
		run: async (_context, { command }) => installs(command, 'emulator'),
	},
	{
		command: 'npm start -- --help',
		folder: 'emulator',
		async run() {
			const { stdout } = await succeeds(this.command, { cwd: 'emulator' });
			assert.match(stdout, /--call-speed/);
			assert.match(stdout, /VOICEAGENT_EMULATOR_/);
		},
	},
	...['npm start -- --port 9000', 'VOICEAGENT_EMULATOR_PORT=9000 npm start'].map(
		(command): Entry => ({
			command,
			folder: 'emulator',
			async run(context) {
				const taken = await takenPort(9000);
				if (taken) return context.skip(taken);
				await inCopy(command, {
					cwd: 'emulator',
					until: /Stop with Ctrl\+C/,
					then: async () => assert.ok((await fetch('http://127.0.0.1:9000/swagger')).ok),
				});
			},
		}),
	),
	...[
		'npm --prefix emulator start -- --shape list=paged --shape recordFields=PascalCase',
		'VOICEAGENT_EMULATOR_SHAPE="list=paged recordFields=PascalCase" npm --prefix emulator start',
	].map(
		(command): Entry => ({
			command,
			folder: '.',
			async run(context) {
				const taken = await takenPort(EMULATOR_PORT);
				if (taken) return context.skip(taken);
				await inCopy(command, {
					until: /Stop with Ctrl\+C/,
					then: async () => {
						const { list, recordFields } = await shapes();
						assert.deepEqual({ list, recordFields }, { list: 'paged', recordFields: 'PascalCase' });
					},
				});
			},
		}),
	),

	// FileDecryptor

	{
		command: 'npm install && npm run build',
		folder: 'file-decryptor',
		run: async (_context, { command }) => await buildsFileDecryptor(command, 'file-decryptor'),
	},
	{
		command: 'npm run build',
		folder: 'file-decryptor',
		run: async (_context, { command }) => await buildsFileDecryptor(command, 'file-decryptor'),
	},
	{
		command: 'cd file-decryptor\nnpm install\nnpm run build',
		folder: '.',
		run: async (_context, { command }) => await buildsFileDecryptor(command, '.'),
	},
	{
		command: 'npm install --global voiceagent-file-decryptor',
		async run() {
			registry ??= await startRegistry(await packedFileDecryptor());
			await succeedsIn(folderWith({}), this.command, { env: registry.env });
			assert.deepEqual(readdirSync(globalBin).sort(), ['FileDecryptor', 'file-decryptor']);
		},
	},
	{
		command: "npx voiceagent-file-decryptor call.enc 'my password' wav",
		async run() {
			registry ??= await startRegistry(await packedFileDecryptor());
			const folder = folderWith({ 'call.enc': encryptedRecording('my password') });
			await succeedsIn(folder, this.command, { env: registry.env });
			isDecrypted(folder, 'call.wav');
		},
	},
	...['FileDecryptor --help', 'file-decryptor --help'].map(
		(command): Entry => ({
			command,
			async run() {
				const { stdout } = await withFileDecryptor(folderWith({}), command);
				assert.match(stdout, /--password-file/);
			},
		}),
	),
	{
		command: "node file-decryptor.cjs call.enc 'my password' wav",
		async run() {
			const folder = folderWith({ 'call.enc': encryptedRecording('my password') });
			const program = join(copy.root, 'file-decryptor/dist/file-decryptor.cjs');
			copyFileSync(program, join(folder, 'file-decryptor.cjs'));
			await succeedsIn(folder, this.command);
			isDecrypted(folder, 'call.wav');
		},
	},
	{
		command: 'FileDecryptor *.enc',
		async run(context) {
			if (spawnSync('script', ['--version']).status !== 0) {
				return context.skip('needs script of util-linux, which gives it a terminal');
			}
			const files = ['a.enc', 'b.enc', 'c.enc'].map((name) => [name, encryptedRecording('p')]);
			const folder = folderWith(Object.fromEntries(files));
			await withFileDecryptor(folder, this.command, { typed: 'p', env: { TERM: 'xterm' } });
			isDecrypted(folder, 'a.wav', 'b.wav', 'c.wav');
		},
	},
	{
		command:
			'FileDecryptor -p password.txt --dry-run *.enc\n' +
			"FileDecryptor -p password.txt -d audio 'calls/**/*.enc'",
		async run() {
			const folder = folderWith({
				'password.txt': 'secret\n',
				'a.enc': encryptedRecording('secret'),
				'calls/b.enc': encryptedRecording('secret'),
				'calls/2024/05/c.enc': encryptedRecording('secret'),
			});
			await withFileDecryptor(folder, this.command);
			isDecrypted(folder, 'audio/b.wav', 'audio/c.wav');
			assert.deepEqual(readdirSync(folder).sort(), ['a.enc', 'audio', 'calls', 'password.txt']);
		},
	},
	{
		command: `printf '%s' "$PASSWORD" | FileDecryptor --password-stdin 'calls/*.enc'`,
		async run() {
			const folder = folderWith({
				'calls/a.enc': encryptedRecording(' secret '),
				'calls/b.enc': encryptedRecording(' secret '),
			});
			await withFileDecryptor(folder, this.command, { env: { PASSWORD: ' secret ' } });
			isDecrypted(folder, 'calls/a.wav', 'calls/b.wav');
		},
	},
	{
		command:
			'FileDecryptor -p new.txt --previous-password-file old.txt --json *.enc ' +
			"| jq -r 'select(.error) | .file'",
		async run(context) {
			if (spawnSync('jq', ['--version']).status !== 0) return context.skip('jq is missing');
			const folder = folderWith({
				'new.txt': 'new\n',
				'old.txt': 'older\nold\n',
				'a.enc': encryptedRecording('new'),
				'b.enc': encryptedRecording('old'),
				'c.enc': encryptedRecording('another'),
			});
			const { stdout } = await withFileDecryptor(folder, this.command);
			assert.equal(stdout, 'c.enc\n');
			isDecrypted(folder, 'a.wav', 'b.wav');
			assert.ok(!existsSync(join(folder, 'c.wav')));
		},
	},
	{
		command: 'FileDecryptor -p password.txt -o - call.enc | ffplay -',
		async run() {
			const folder = folderWith({
				'password.txt': 'secret\n',
				'call.enc': encryptedRecording('secret'),
			});
			await withFileDecryptor(folder, this.command);
			isDecrypted(folder, 'played');
		},
	},
	{
		command: "FileDecryptor -p password.txt -d ../archive --delete-source '*.enc'",
		async run() {
			const folder = folderWith({
				'password.txt': 'secret\n',
				'a.enc': encryptedRecording('secret'),
				'b.enc': encryptedRecording('another'),
			});
			const { code, output } = await runInShell(this.command, fileDecryptorIn(folder));
			assert.equal(code, 1, output);
			isDecrypted(folder, '../archive/a.wav');
			assert.deepEqual(readdirSync(folder).sort(), ['b.enc', 'password.txt']);
		},
	},
];

/** Examples in code, each in a file of its own in the folder of its page. */
const examples: { page: string; begins: string; run(code: string): Promise<void> }[] = [
	{
		page: 'emulator/README.md',
		begins: 'import { createEmulator }',
		async run(code) {
			writeFileSync(join(copy.root, 'emulator/example.mts'), code);
			const { stdout } = await succeeds(`'${process.execPath}' example.mts`, { cwd: 'emulator' });
			rmSync(join(copy.root, 'emulator/example.mts'));
			const [, bytes = '0'] = /^attachment; filename="\S+\.enc" (\d+)$/m.exec(stdout) ?? [];
			assert.ok(Number(bytes) > 44, stdout);
		},
	},
	{
		page: 'docs/integration.md',
		begins: 'import { createDecipheriv, pbkdf2Sync }',
		async run(code) {
			const folder = folderWith({ 'a.mjs': code, 'call.enc': encryptedRecording('secret') });
			await succeedsIn(folder, 'node a.mjs call.enc secret call.wav');
			isDecrypted(folder, 'call.wav');
			const wrong = await runInShell('node a.mjs call.enc wrong wrong.wav', { cwd: folder });
			assert.notEqual(wrong.code, 0);
			assert.ok(!existsSync(join(folder, 'wrong.wav')));
		},
	},
];

const skip = process.platform === 'win32' && 'the commands are written for a POSIX shell';

suite('what the documentation shows', { skip }, () => {
	for (const page of new Set(documented.map((command) => command.page))) {
		test(`${page}: its commands are in the table of this test`, () => {
			const unknown = documented
				.filter((command) => command.page === page)
				.filter((command) => !table.some((entry) => shows(entry, command)))
				.map(({ text }) => text);
			const advice = 'Say in the table of test/docs/commands.test.mts what these do:';
			assert.deepEqual(unknown, [], [advice, ...unknown].join('\n'));
		});
	}

	test('the table has no command that no page shows', () => {
		const gone = table
			.filter((entry) => !documented.some((command) => shows(entry, command)))
			.map(({ command, folder = 'any folder' }) => `${command}  (${folder})`);
		assert.deepEqual(gone, [], gone.join('\n'));
	});

	test('every example in code is run', () => {
		const shown = pages.flatMap((page) =>
			blocks(page)
				.filter(({ language }) => /^(?:[cm]?[tj]s|typescript|javascript)$/.test(language))
				.map(({ code }) => `${page.path}: ${code.split('\n', 1).join()}`),
		);
		const known = (line: string) =>
			examples.some(({ page, begins }) => line.startsWith(`${page}: ${begins}`));
		assert.deepEqual(
			shown.filter((line) => !known(line)),
			[],
		);
		assert.equal(shown.length, examples.length);
	});
});

suite('the commands of the documentation', { skip, timeout: 1_200_000 }, () => {
	for (const entry of table.filter(({ during }) => during === undefined)) {
		test(title(entry), async (context) => await entry.run(context, entry));
	}
});

suite('the examples of the documentation', { skip }, () => {
	for (const { page, begins, run } of examples) {
		test(`${page}: ${begins} …`, async () => {
			const all = blocks(pages.find(({ path }) => path === page) ?? { path: page, text: '' });
			const code = all.find((block) => block.code.startsWith(begins))?.code;
			assert.ok(code !== undefined, 'The page does not show it any more.');
			await run(code);
		});
	}
});

suite('the checkout', { skip }, () => {
	test('no command has changed it', (context) => {
		registry?.close();
		// What whoever works here at the same time changes is another matter: that is only told.
		assert.deepEqual(
			copy.written().filter((file) => copy.hasReachedCheckout(file)),
			[],
		);
		const after = gitStatus();
		const changed = [...after, ...statusBefore].filter(
			(line) => !after.has(line) || !statusBefore.has(line),
		);
		const paths = [...new Set(changed.map((line) => line.slice(3)))];
		if (paths.length > 0) context.diagnostic(`changed meanwhile: ${paths.join(', ')}`);
	});
});

/** The lines of `git status`; none where Git is absent. */
function gitStatus(): Set<string> {
	if (!existsSync(join(ROOT, '.git'))) return new Set();
	const lines = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
	return new Set(lines.split('\n').filter(Boolean));
}

function shows(entry: Entry, { text, folder }: Pick<Command, 'text' | 'folder'>): boolean {
	return entry.command === text && (entry.folder ?? folder) === folder;
}

function title({ command, folder = '.' }: Entry): string {
	return folder === '.' ? oneLine(command) : `${folder}: ${oneLine(command)}`;
}

function oneLine(command: string): string {
	return command.replaceAll(/\s*\n\s*/g, ' ; ');
}

/** In the copy of the repository. */
async function inCopy(
	command: string,
	{ cwd = '.', ...options }: Partial<CommandOptions> = {},
): Promise<Ended> {
	return await runInShell(command, { cwd: join(copy.root, cwd), ...options });
}

async function succeeds(command: string, options: Partial<CommandOptions> = {}): Promise<Ended> {
	return succeeded(await inCopy(command, options));
}

async function succeedsIn(
	folder: string,
	command: string,
	options: Partial<CommandOptions> = {},
): Promise<Ended> {
	return succeeded(await runInShell(command, { cwd: folder, ...options }));
}

function succeeded(ended: Ended): Ended {
	assert.equal(ended.code, 0, ended.output);
	return ended;
}

/** With the command that `npm install --global` has installed. */
async function withFileDecryptor(
	folder: string,
	command: string,
	options: Partial<CommandOptions> = {},
): Promise<Ended> {
	return succeeded(await runInShell(command, fileDecryptorIn(folder, options)));
}

function fileDecryptorIn(folder: string, options: Partial<CommandOptions> = {}): CommandOptions {
	return { cwd: folder, programs: [globalBin, players], ...options };
}

function isDecrypted(folder: string, ...names: string[]): void {
	for (const name of names) assert.deepEqual(readFileSync(join(folder, name)), recording, name);
}

async function packedFileDecryptor(): Promise<string> {
	const folder = join(TEMPORARY, 'packed');
	mkdirSync(folder, { recursive: true });
	await succeeds(`npm pack --pack-destination '${folder}'`, { cwd: 'file-decryptor' });
	return join(folder, readdirSync(folder)[0] ?? '');
}

async function buildsFileDecryptor(command: string, cwd: string): Promise<void> {
	rmSync(join(copy.root, 'file-decryptor/dist'), { recursive: true, force: true });
	await succeeds(command, { cwd });
	await succeeds('node file-decryptor/dist/file-decryptor.cjs --version');
}

/** What was installed before is complete, and so is the lock file. */
async function installs(command: string, folder: string): Promise<void> {
	const lock = readFileSync(join(copy.root, folder, 'package-lock.json'), 'utf8');
	await succeeds(command, { cwd: folder });
	assert.equal(readFileSync(join(copy.root, folder, 'package-lock.json'), 'utf8'), lock);
}

/** A command that starts the emulator on its documented port, and those that talk to it. */
function emulator(command: string): Entry {
	return {
		command,
		async run(context) {
			const guests = table.filter(({ during }) => during === command);
			const taken = await takenPort(EMULATOR_PORT);
			if (taken) {
				for (const guest of guests) await context.test(title(guest), { skip: taken }, () => {});
				return context.skip(taken);
			}
			const { output } = await inCopy(command, {
				until: /Stop with Ctrl\+C/,
				then: async () => {
					const { url } = await fetch(`http://127.0.0.1:${EMULATOR_PORT}/swagger`);
					assert.ok(url.includes('/swagger'));
					for (const guest of guests) {
						await context.test(title(guest), async (inner) => await guest.run(inner, guest));
					}
				},
			});
			assert.match(output, /^Stopped$/m);
		},
	};
}

async function placesCall(_context: TestContext, { command }: Entry): Promise<void> {
	const { stdout } = await succeeds(command);
	const reply = JSON.parse(stdout) as { sessionGuid: string; to: string };
	assert.equal(reply.to, '+15550100');
	assert.match(reply.sessionGuid, /^[0-9a-f-]{36}$/);
}

async function control(path: string): Promise<unknown> {
	return await (await fetch(`http://127.0.0.1:${EMULATOR_PORT}/control/${path}`)).json();
}

async function shapes(): Promise<Record<string, unknown>> {
	return (await control('shapes')) as Record<string, unknown>;
}

/** What `scripts/test.mjs` says of the run that this one is a part of. */
function npmTest(): { isAll: boolean; stages: string[]; passed: string[] } | undefined {
	const text = process.env.VOICEAGENT_TEST_RUN;
	return text === undefined ? undefined : (JSON.parse(text) as ReturnType<typeof npmTest>);
}

/** The tests of a package take minutes. `npm test` has run them by this command just before, as a stage. */
function hasPassedInNpmTest(context: TestContext, stage: string): void {
	const run = npmTest();
	if (!run?.stages.includes(stage)) return context.skip(NOT_IN_NPM_TEST);
	assert.ok(run.passed.includes(stage), `The stage ${stage} has not passed.`);
}

async function until(holds: () => boolean): Promise<void> {
	const deadline = Date.now() + 30_000;
	while (!holds()) {
		assert.ok(Date.now() < deadline, 'It has not happened within 30 s.');
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}
