import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { copy, succeeds } from '../copy.mts';
import { title, type Entry } from '../entry.mts';
import { serviceProfile } from './serviceProfile.mts';
import { installsEmulator, user } from '../published.mts';
import { runInShell, succeedsIn, takenPort } from '../shell.mts';
import { folderWith } from '../temporary.mts';

const EMULATOR_PORT = 8480;

/** Somebody whose Node is new enough for the emulator. */
const tester = { ...user, programs: [dirname(process.execPath), ...user.programs] };
const WEBHOOK = 'http://localhost:5678/webhook';

/** In a profile: a CallEnd whose origin a header proves. */
const provenCallEnd = {
	...{ event: 'callEnd', headers: {}, roles: {}, json: {} },
	signature: { webhookVerification: 'sharedSecret', headerName: 'X-Secret' },
};

export const emulator: Entry[] = [
	{
		command: 'npm install && npm run build && npm pack ./dist',
		folder: 'emulator',
		// `packEmulator` builds and packs so what the other commands install.
		run: () => undefined,
	},
	starts(`npx voiceagent-emulator --default-instructions '{"recordCall":true}'`, {
		guests: [
			{
				command:
					"guid=$(curl -s -H 'Token: demo-key' -H 'Content-Type: application/json' \\\n" +
					`  -d '{"to":"+15550100"}' http://127.0.0.1:8480/api/customer/makecall | grep -o '[0-9a-f-]\\{36\\}')\n` +
					'curl -s http://127.0.0.1:8480/control/calls/$guid/completed\n' +
					"curl -s -H 'Token: demo-key' -o call.opus http://127.0.0.1:8480/api/customer/recordings/$guid",
				async run() {
					const here = folderWith({});
					const { stdout } = await succeedsIn(here, this.command);
					assert.match(stdout, /"recorded":true/);
					// Opus in Ogg.
					assert.match(readFileSync(join(here, 'call.opus'), 'latin1'), /^OggS/);
				},
			},
		],
	}),
	starts(
		`npx voiceagent-emulator --call-start-url ${WEBHOOK}/call-start/webhook` +
			` --call-end-url ${WEBHOOK}/call-end/webhook`,
		{ control: 'webhooks', says: { callEnd: `${WEBHOOK}/call-end/webhook` } },
	),
	{
		command: 'npm install --save-dev voiceagent-emulator',
		async run() {
			const here = folderWith({ 'package.json': '{}' });
			await installsEmulator(here, this.command);
			assert.match(readFileSync(join(here, 'package.json'), 'utf8'), /"devDependencies"/);
		},
	},
	{
		command: 'npx voiceagent-emulator --help',
		async run() {
			const { stdout } = await succeedsIn(folderWith({}), this.command, tester);
			for (const line of [/--call-speed/, /VOICEAGENT_EMULATOR_/]) assert.match(stdout, line);
		},
	},
	starts('npx voiceagent-emulator --port 9000', { port: 9000 }),
	starts('VOICEAGENT_EMULATOR_PORT=9000 npx voiceagent-emulator', { port: 9000 }),
	starts('npx voiceagent-emulator --shape list=paged --shape recordFields=PascalCase', {
		control: 'shapes',
		says: { list: 'paged', recordFields: 'PascalCase' },
	}),
	starts(
		"npx voiceagent-emulator --outcome '+15550101=busy' --outcome '+15550102=noAnswer'" +
			" --outcome '+1555011*=voicemail'",
		{
			control: 'outcomes',
			says: {
				outcomes: [
					{ to: '+15550101', outcome: 'busy' },
					{ to: '+15550102', outcome: 'noAnswer' },
					{ to: '+1555011*', outcome: 'voicemail' },
				],
			},
		},
	),
	starts('npx voiceagent-emulator --profile service-profile.json', {
		files: { 'service-profile.json': JSON.stringify(serviceProfile) },
		control: 'profile',
		says: { isProfiled: true },
	}),
	starts(
		'npx voiceagent-emulator --profile service-profile.json' +
			` --webhook-delivery '{"signing":{"scheme":"profile","secret":"…"}}'`,
		{
			files: {
				'service-profile.json': JSON.stringify({ ...serviceProfile, webhooks: [provenCallEnd] }),
			},
			control: 'webhook-delivery',
			says: { signing: { scheme: 'profile', secret: '…' } },
		},
	),
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
	starts('npm start', { folder: 'emulator' }),
];

interface Start {
	/** In the repository, if it is not a folder of a user. */
	folder?: string;
	/** In the folder of the user, by name. */
	files?: Record<string, string>;
	port?: number;
	/** A control of the emulator, and what it says among others. */
	control?: string;
	says?: object;
	guests?: Entry[];
}

/** A command that starts the emulator, and commands that talk to it. */
function starts(
	command: string,
	{ folder, files = {}, port = EMULATOR_PORT, control, says, guests = [] }: Start = {},
): Entry {
	return {
		command,
		...(folder !== undefined && { folder }),
		guests,
		async run(context) {
			const taken = await takenPort(port);
			if (taken) {
				for (const guest of guests) await context.test(title(guest), { skip: taken }, () => {});
				return context.skip(taken);
			}
			const { output } = await runInShell(command, {
				...tester,
				cwd: folder === undefined ? folderWith(files) : join(copy.root, folder),
				until: /Stop with Ctrl\+C/,
				async then() {
					const url = `http://127.0.0.1:${port}`;
					assert.ok((await fetch(`${url}/swagger`)).ok);
					if (control !== undefined) {
						const said: unknown = await (await fetch(`${url}/control/${control}`)).json();
						assert.partialDeepStrictEqual(said, says);
					}
					for (const guest of guests) {
						await context.test(title(guest), async (inner) => await guest.run(inner, guest));
					}
				},
			});
			assert.match(output, /^Stopped$/m);
		},
	};
}
