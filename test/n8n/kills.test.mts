/**
 * n8n is killed while it archives, with an execution at each point of each archive workflow. Then
 * it is killed once more within each sweep. Nothing is lost, and nothing is deleted before its file
 * is whole.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { addService, PASSWORD } from '../../harness/stack.mts';
import {
	archiveNames as names,
	startArchive,
	type Archive,
	type ArchiveName as Name,
} from '../../harness/standIns/archives.mts';
import { readWorkflow, SWEEP_TRIGGER, sweepInto } from '../../harness/workflows.mts';
import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { assertArchived, publishArchive, wholeFiles } from './archived.mts';
import { restartableN8n } from './restartable.mts';
import { startHolds } from './kills/holds.mts';
import { filesOf, pointsOf, type Point, type Scene } from './kills/points.mts';
import { shared, succeeded } from './suite.mts';

/** A recording that was being archived when n8n was killed. */
interface Case {
	point: Point;
	sessionGuid: string;
}
interface Site extends Scene {
	cases: Case[];
	sweepId: string;
}

suite(
	'n8n is killed while it archives [faults 45, 46]',
	{ concurrency: 1, skip: process.platform === 'win32' },
	() => {
		const holds = shared(startHolds);
		const archives = new Map<Name, Archive>();
		const sites = new Map<Name, Site>();
		const siteOf = (name: Name) => sites.get(name) as Site;

		before(async () => {
			for (const name of names) archives.set(name, await startArchive[name]());
		});
		const { getN8n, killAndStart } = restartableN8n(() => {
			const wanted = [...archives.values()].map((archive) => archive.n8n);
			return {
				// A read that waits for a pipe takes one of these.
				env: Object.assign({ UV_THREADPOOL_SIZE: '16' }, ...wanted.map(({ env }) => env)),
				allowedPaths: wanted.flatMap(({ allowedPaths = [] }) => allowedPaths),
			};
		});
		before(async () => {
			for (const name of names) sites.set(name, await setUp(archives.get(name) as Archive));
		});
		after(async () => {
			for (const { stack } of sites.values()) await stack.stop();
			for (const archive of archives.values()) await archive.close();
		});

		async function setUp(archive: Archive): Promise<Site> {
			const n8n = getN8n();
			const stack = await addService(n8n);
			const workflow = holds.between(archive.configured());
			const id = await publishArchive(stack, workflow, archive.credentials);
			const sweepId = await n8n.importWorkflow(sweepInto(id), stack.credentials);
			const { control } = stack.emulator;
			return {
				holds,
				stack,
				archive,
				sweepId,
				cases: [],
				open: [],
				storage: join(n8n.userFolder, '.n8n', 'storage', 'workflows', id),
				callEnds: async (sessionGuid) => void (await control.sendCallEnd(sessionGuid)),
			};
		}

		const killAndRestart = async () =>
			await killAndStart({}, async () => {
				for (const { open, stack, cases } of sites.values()) {
					stack.emulator.control.clearFaults();
					for (const { sessionGuid } of cases) holds.release(sessionGuid);
					for (const pipe of open.splice(0)) await pipe.close();
				}
			});

		/** What a reader takes for whole is whole, and is there for all that was deleted. */
		async function assertNothingLost({ archive, stack }: Site, { point, sessionGuid }: Case) {
			const { state, plainSha256 } = stack.ledger(sessionGuid);
			const whole = wholeFiles(await filesOf(archive, sessionGuid));
			for (const { content } of whole) assert.equal(sha256(content), plainSha256, point.name);
			assert.ok(state === 'stored' || whole.length > 0, `${point.name}: lost`);
		}

		suite('executions that a webhook has started', { concurrency: names.length }, () => {
			for (const name of names) {
				suite(name, { concurrency: 1 }, () => {
					for (const point of pointsOf(readWorkflow(name))) {
						test(`one gets to the point ${point.name}`, async () => {
							const site = siteOf(name);
							const { control } = site.stack.emulator;
							// The later ones are older: a sweep begins with them.
							const age = 3_600_000 + site.cases.length * 60_000;
							const { sessionGuid } = await control.addRecording({
								endedAt: new Date(Date.now() - age).toISOString(),
								password: PASSWORD,
								sizeBytes: point.sizeBytes,
							});
							site.cases.push({ point, sessionGuid });
							await point.reach(site, sessionGuid);
						});
					}
				});
			}
		});

		test('n8n is killed, and starts again', async () => await killAndRestart());

		for (const name of names) {
			test(`${name}: nothing is lost, or deleted before it is whole in the archive`, async () => {
				const site = siteOf(name);
				for (const one of site.cases) {
					await assertNothingLost(site, one);
					const { isDeleted = false, leavesCutFile = false, name: at } = one.point;
					assert.equal(site.stack.ledger(one.sessionGuid).state === 'deleted', isDeleted, at);
					if (!leavesCutFile) continue;
					const files = await filesOf(site.archive, one.sessionGuid);
					assert.ok(files.length > 0, at);
					assert.deepEqual(wholeFiles(files), [], at);
				}
			});
		}

		test('n8n is killed once more, while sweeps archive what was left', async () => {
			const sweeps = names.map(async (name, index) => {
				const { cases, sweepId, stack } = siteOf(name);
				const steps = cases
					.flatMap(({ point }) => /after "(.+)"/.exec(point.name)?.[1] ?? [])
					.slice(1);
				const left = cases.filter((one) => stack.ledger(one.sessionGuid).state === 'stored');
				// Each sweep stops at another step, with one recording done and some to do.
				const { sessionGuid } = left.at(-2) as Case;
				holds.order(sessionGuid, String(steps[index % steps.length]));
				void getN8n()
					.run(sweepId, { trigger: SWEEP_TRIGGER })
					.catch(() => undefined);
				await holds.reached(sessionGuid);
			});
			await Promise.all(sweeps);
			await killAndRestart();
			for (const name of names) {
				for (const one of siteOf(name).cases) await assertNothingLost(siteOf(name), one);
			}
		});

		suite('the next sweep', { concurrency: names.length }, () => {
			for (const name of names) {
				test(`${name}: archives all that was left`, async () => {
					const site = siteOf(name);
					const start = { trigger: SWEEP_TRIGGER, timeoutMs: 600_000 };
					succeeded(await getN8n().run(site.sweepId, start));
					for (const { sessionGuid } of site.cases) {
						assertArchived(await site.archive.files(), site.stack.ledger(sessionGuid), Infinity);
					}
				});
			}
		});
	},
);
