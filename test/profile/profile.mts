/**
 * `npm run test:profile -- service-profile.json`: runs the main job against the emulator in that
 * profile, with the settings that Explore has proposed, and says what works. Needs no service.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { StartError } from '../../emulator/src/index.mts';
import { startEngine } from '../../harness/engine/engine.mts';
import { mainJob, type Profile } from './mainJob.mts';

const [file] = process.argv.slice(2);
if (file === undefined) {
	console.error('Name the file: npm run test:profile -- service-profile.json');
	process.exit(2);
}
const profile = read(file);
const engine = await startEngine();
try {
	const steps = await mainJob(engine, profile);
	const settings = Object.entries(profile.settings ?? {});
	const shown = settings.map(([name, value]) => `${name}=${value}`).join(', ');
	console.log(`\nSettings: ${shown || 'none are needed'}\n`);
	for (const { name, works, said } of steps) {
		console.log(`${works ? 'works ' : 'FAILS '} ${name}: ${said}`);
	}
	if (steps.some(({ works }) => !works)) process.exitCode = 1;
} catch (error) {
	if (!(error instanceof StartError)) throw error;
	console.error(`This is not a service profile: ${error.message}`);
	process.exitCode = 2;
} finally {
	await engine.stop();
}

function read(path: string): Profile {
	try {
		return JSON.parse(readFileSync(resolve(path), 'utf8')) as Profile;
	} catch (error) {
		console.error(`${path} cannot be read: ${(error as Error).message}`);
		process.exit(2);
	}
}
