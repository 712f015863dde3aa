import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { copy, inCopy, succeeds } from '../copy.mts';
import { prints, title, type Entry } from '../entry.mts';
import { takenPort } from '../shell.mts';

const EMULATOR_PORT = 8480;

export const emulator: Entry[] = [
	program(`cd emulator\nnpm install\nnpm start -- --default-instructions '{"recordCall":true}'`, [
		{
			command:
				"guid=$(curl -s -H 'Token: demo-key' -H 'Content-Type: application/json' \\\n" +
				`  -d '{"to":"+15550100"}' http://127.0.0.1:8480/api/customer/makecall | grep -o '[0-9a-f-]\\{36\\}')\n` +
				'curl -s http://127.0.0.1:8480/control/calls/$guid/completed\n' +
				"curl -s -H 'Token: demo-key' -o call.opus http://127.0.0.1:8480/api/customer/recordings/$guid",
			async run() {
				const { stdout } = await succeeds(this.command);
				assert.match(stdout, /"recorded":true/);
				const file = join(copy.root, 'call.opus');
				// Opus in Ogg.
				assert.equal(readFileSync(file).subarray(0, 4).toString(), 'OggS');
				rmSync(file);
			},
		},
	]),
	{
		command: 'npm install',
		folder: 'emulator',
		async run() {
			// What was installed before is complete, and so is the lock file.
			const lock = () => readFileSync(join(copy.root, 'emulator/package-lock.json'), 'utf8');
			const before = lock();
			await succeeds(this.command, { cwd: 'emulator' });
			assert.equal(lock(), before);
		},
	},
	prints('npm start -- --help', [/--call-speed/, /VOICEAGENT_EMULATOR_/], { folder: 'emulator' }),
	inItsFolder('npm start -- --port 9000', 9000),
	inItsFolder('VOICEAGENT_EMULATOR_PORT=9000 npm start', 9000),
	inItsFolder(
		'npm start -- --shape list=paged --shape recordFields=PascalCase',
		EMULATOR_PORT,
		async () => {
			const shapes = await fetch(`http://127.0.0.1:${EMULATOR_PORT}/control/shapes`);
			const { list, recordFields } = (await shapes.json()) as Record<string, unknown>;
			assert.deepEqual({ list, recordFields }, { list: 'paged', recordFields: 'PascalCase' });
		},
	),
];

/** A command that starts the emulator. */
function inItsFolder(command: string, port = EMULATOR_PORT, then = async () => {}): Entry {
	return {
		command,
		folder: 'emulator',
		async run(context) {
			const taken = await takenPort(port);
			if (taken) return context.skip(taken);
			await inCopy(command, {
				cwd: 'emulator',
				until: /Stop with Ctrl\+C/,
				async then() {
					assert.ok((await fetch(`http://127.0.0.1:${port}/swagger`)).ok);
					await then();
				},
			});
		},
	};
}

/** A command that starts the emulator on its documented port, and commands that talk to it. */
function program(command: string, guests: Entry[]): Entry {
	return {
		command,
		guests,
		async run(context) {
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
