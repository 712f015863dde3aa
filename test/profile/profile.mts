/**
 * `npm run test:profile -- service-profile.json`: runs the main job, and then the core workflows in
 * a real n8n, against the emulator in that profile, with the settings that Explore has proposed. It
 * says what works, and needs no service.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { StartError } from '../../emulator/src/index.mts';
import { startEngine } from '../../harness/engine/engine.mts';
import { packedPackage, startN8n } from '../../harness/n8n/n8n.mts';
import { coreWorkflows } from './coreWorkflows.mts';
import { mainJob, type Profile, type Step } from './mainJob.mts';

const [file] = process.argv.slice(2);
if (file === undefined) {
	console.error('Name the file: npm run test:profile -- service-profile.json');
	process.exit(2);
}
const profile = read(file);
try {
	const steps = [...(await inEngine(profile)), ...(await inN8n(profile))];
	const settings = Object.entries(profile.settings ?? {});
	const shown = settings.map(([name, value]) => `${name}=${value}`).join(', ');
	console.log(`\nSettings: ${shown || 'none are needed'}`);
	for (const note of profile.notes ?? []) console.log(`Note: ${note}`);
	console.log('');
	for (const { name, works, said } of steps) {
		console.log(`${works ? 'works ' : 'FAILS '} ${name}: ${said}`);
	}
	if (steps.some(({ works }) => !works)) process.exitCode = 1;
} catch (error) {
	if (!(error instanceof StartError)) throw error;
	console.error(`This is not a service profile: ${error.message}`);
	process.exitCode = 2;
}

async function inEngine(of: Profile): Promise<Step[]> {
	const engine = await startEngine();
	try {
		return await mainJob(engine, of);
	} finally {
		await engine.stop();
	}
}

async function inN8n(of: Profile): Promise<Step[]> {
	const folder = await mkdtemp(join(tmpdir(), 'voiceagent-profile-'));
	const n8n = await startN8n({ packages: [packedPackage()], allowedPaths: [folder] });
	try {
		return await coreWorkflows(n8n, folder, of);
	} finally {
		await n8n.stop();
		await rm(folder, { recursive: true, force: true });
	}
}

function read(path: string): Profile {
	try {
		return JSON.parse(readFileSync(resolve(path), 'utf8')) as Profile;
	} catch (error) {
		console.error(`${path} cannot be read: ${(error as Error).message}`);
		process.exit(2);
	}
}
