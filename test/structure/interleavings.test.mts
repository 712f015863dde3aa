/**
 * A recording can have several executions, such as after a CallEnd that was delivered twice. In
 * whatever order their steps come, and wherever n8n is killed, the recording is still at the
 * service, or it is complete in the archive.
 *
 * The steps come from the workflow files. What a step does to an archive is modelled here.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Workflow, WorkflowNode } from '../../harness/n8n/n8n.mts';
import { nodeOf, readWorkflow } from '../../harness/workflows.mts';

/**
 * Whether each part of a file has its content. Two parts are enough to show a file that is cut, or
 * that has a hole.
 */
type File = readonly [boolean, boolean];
const EMPTY: File = [false, false];
const WHOLE: File = [true, true];

interface World {
	isAtService: boolean;
	/** By name. */
	files: Record<string, File>;
	executions: Array<{
		/** How many of its steps are done. */
		done: number;
		hasEnded: boolean;
		/** Whether it has seen its file whole. */
		hasProof: boolean;
	}>;
}

interface Step {
	name: string;
	/** Changes a copy of the world. `false` ends the execution. */
	run(world: World, execution: number): unknown;
}

/** A name that all executions write to, or one for each. */
type NameOf = (execution: number) => string;

const download: Step = { name: 'download', run: (world) => world.isAtService };

/** The file is truncated when it is opened, then filled: local folders, and uploads by SFTP. */
const writeInPlace = (nameOf: NameOf): Step[] => [
	{ name: 'open', run: (world, by) => void (world.files[nameOf(by)] = EMPTY) },
	{
		name: 'write the first part',
		run: (world, by) =>
			void (world.files[nameOf(by)] = [true, world.files[nameOf(by)]?.[1] ?? false]),
	},
	{
		name: 'write the second part',
		run: (world, by) =>
			void (world.files[nameOf(by)] = [world.files[nameOf(by)]?.[0] ?? false, true]),
	},
];

/** The file is there when all of it has arrived, and replaces one of the same name: S3. */
const put = (nameOf: NameOf): Step[] => [
	{ name: 'put', run: (world, by) => void (world.files[nameOf(by)] = WHOLE) },
];

const readBack = (nameOf: NameOf): Step => ({
	name: 'read back',
	run(world, by) {
		(world.executions[by] as World['executions'][number]).hasProof = isWhole(
			world.files[nameOf(by)],
		);
	},
});

/** Check Archive: an execution that has seen no whole file fails here. */
const checkProof: Step = {
	name: 'check',
	run: (world, by) => world.executions[by]?.hasProof === true,
};

const deleteWithProof: Step = {
	name: 'delete',
	run(world, by) {
		if (!world.executions[by]?.hasProof) return false;
		world.isAtService = false;
		return true;
	},
};

function isWhole(file: File | undefined): boolean {
	return file?.[0] === true && file[1];
}

const isSafe = ({ isAtService, files }: World) =>
	isAtService ||
	Object.entries(files).some(([name, file]) => !name.endsWith('.part') && isWhole(file));

const start = (executions: number): World => ({
	isAtService: true,
	files: {},
	executions: Array.from({ length: executions }, () => ({
		done: 0,
		hasEnded: false,
		hasProof: false,
	})),
});

function advanced(world: World, by: number, steps: readonly Step[]): World {
	const next = structuredClone(world);
	const execution = next.executions[by] as World['executions'][number];
	const goesOn = steps[execution.done]?.run(next, by) !== false;
	execution.done += 1;
	execution.hasEnded = !goesOn || execution.done === steps.length;
	return next;
}

/**
 * Every world that some order of the steps leads to, each with one such order. A kill can leave any
 * of them behind.
 *
 * @param mayOverlap whether an execution goes on after another one has begun. With the nodes it
 *   never does: Download skips a webhook that is delivered again, and a sweep begins an hour after
 *   the call.
 */
function* reachable(
	steps: readonly Step[],
	executions: number,
	mayOverlap = false,
): Generator<[World, string[]]> {
	const open: Array<[World, string[]]> = [[start(executions), []]];
	const seen = new Set<string>();
	for (let next = open.pop(); next; next = open.pop()) {
		const [world, order] = next;
		const key = JSON.stringify(world);
		if (seen.has(key)) continue;
		seen.add(key);
		yield next;
		for (const [by, { done, hasEnded }] of world.executions.entries()) {
			const isFollowed = world.executions.slice(by + 1).some((later) => later.done > 0);
			if (hasEnded || (isFollowed && !mayOverlap)) continue;
			open.push([advanced(world, by, steps), [...order, `${by + 1}: ${steps[done]?.name}`]]);
		}
	}
}

/** An order of steps after which the recording is lost; `undefined` if there is none. */
function lossIn(steps: readonly Step[], mayOverlap?: boolean): string[] | undefined {
	for (const [world, order] of reachable(steps, 3, mayOverlap)) if (!isSafe(world)) return order;
	return undefined;
}

/** What one execution does, alone, in a world where all others have been killed. */
function afterOneMore({ isAtService, files }: World, steps: readonly Step[]): World {
	// Its number is none that has written before.
	let world: World = { ...start(10), isAtService, files };
	while (!world.executions[9]?.hasEnded) world = advanced(world, 9, steps);
	return world;
}

/** The steps of an archive workflow, from its nodes. */
function stepsOf(workflow: Workflow): Step[] {
	const nameOf: NameOf = () => 'of the session';
	return mainPath(workflow).flatMap((node): Step[] => {
		const { resource, operation, method } = node.parameters;
		const kind = [node.type, resource, operation ?? method].join(' ').trim();
		switch (kind) {
			case 'n8n-nodes-voiceagent.voiceAgent recording download':
				return [download];
			case 'n8n-nodes-base.readWriteFile  write':
			case 'n8n-nodes-base.ftp  upload':
				return writeInPlace(nameOf);
			case 'n8n-nodes-base.httpRequest  PUT':
				return put(nameOf);
			case 'n8n-nodes-base.dataTable row upsert':
				return [];
			// Google Drive keeps files of the same name side by side. An upload is answered with the
			// checksum of its own file.
			case 'n8n-nodes-base.googleDrive file upload':
				return [
					...put((execution) => `file ${execution}`),
					readBack((execution) => `file ${execution}`),
				];
			case 'n8n-nodes-base.readWriteFile  read':
			case 'n8n-nodes-base.ftp  download':
			case 'n8n-nodes-base.httpRequest':
				return [readBack(nameOf)];
			case 'n8n-nodes-voiceagent.voiceAgent recording checkArchive':
				return [checkProof];
			case 'n8n-nodes-voiceagent.voiceAgent recording delete':
				assert.equal(node.parameters.requireProof, true);
				return [deleteWithProof];
			default:
				throw new Error(`No model of "${node.name}" (${kind})`);
		}
	});
}

/** From the download to the delete, along the first outputs. */
function mainPath(workflow: Workflow): WorkflowNode[] {
	const path = [nodeOf(workflow, 'Download recording')];
	for (;;) {
		const { name } = path.at(-1) as WorkflowNode;
		if (name === 'Delete recording from service') return path;
		const { main } = (workflow.connections as Record<string, unknown>)[name] as {
			main: Array<Array<{ node: string }>>;
		};
		const [next] = main[0] ?? [];
		assert.ok(next, `"${name}" leads nowhere`);
		path.push(nodeOf(workflow, next.node));
	}
}

suite('executions for the same recording, one after the other, with a kill at any moment', () => {
	for (const name of [
		'archive-to-google-drive',
		'archive-to-s3',
		'archive-to-folder',
		'archive-to-sftp',
	]) {
		test(`${name} loses nothing`, () =>
			assert.equal(lossIn(stepsOf(readWorkflow(name))), undefined));

		test(`${name}: one more execution archives what a kill has left`, () => {
			const steps = stepsOf(readWorkflow(name));
			for (const [world, order] of reachable(steps, 2)) {
				const after = afterOneMore(world, steps);
				assert.ok(!after.isAtService && isSafe(after), order.join(', '));
			}
		});
	}

	test('the model sees the loss if they overlap: a file that is truncated after another execution has deleted the recording', () => {
		const nameOf = () => 'of the session';
		const order = lossIn(
			[download, ...writeInPlace(nameOf), readBack(nameOf), deleteWithProof],
			true,
		);
		assert.match(String(order?.join(', ')), /: delete.*: open$/);
	});

	test('the model sees a delete without proof', () => {
		const unproven = {
			...deleteWithProof,
			run: (world: World) => void (world.isAtService = false),
		};
		assert.ok(
			lossIn([download, ...writeInPlace((execution) => String(execution)), unproven]) === undefined,
		);
		assert.ok(lossIn([download, unproven]));
	});
});
