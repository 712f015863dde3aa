/** The workflows of this repository, ready for n8n. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workflow, WorkflowNode } from './n8n/n8n.mts';

const ROOT = join(import.meta.dirname, '..');

/** Where workflows are: what the package is for, and what people do beyond that. */
export const WORKFLOW_FOLDERS = ['workflows', 'examples'].map((folder) => join(ROOT, folder));

/** Path of each workflow file, by the name of the workflow. */
const files = new Map(
	WORKFLOW_FOLDERS.flatMap((folder) =>
		readdirSync(folder)
			.filter((file) => file.endsWith('.json'))
			.map((file) => [file.replace(/\.json$/, ''), join(folder, file)]),
	),
);

/** The workflow files, without their extension. */
export const workflowNames = [...files.keys()];

/**
 * Path of the file of a workflow.
 * @throws {Error} when neither folder has it
 */
export function workflowFile(name: string): string {
	const file = files.get(name);
	if (file === undefined) throw new Error(`There is no workflow file "${name}".`);
	return file;
}

/** The workflow in its file, as it is. */
export function readWorkflow(name: string): Workflow {
	return JSON.parse(readFileSync(workflowFile(name), 'utf8')) as Workflow;
}

/**
 * A node of a workflow, to be changed as its user would.
 * @throws {Error} when there is no node of that name
 */
export function nodeOf(workflow: Workflow, name: string): WorkflowNode {
	const node = workflow.nodes.find((one) => one.name === name);
	if (!node) throw new Error(`The workflow "${workflow.name}" has no node "${name}".`);
	return node;
}

/**
 * Fills in values of the node "Settings", or of another node that sets values.
 * @throws {Error} when the node does not set such a value
 */
export function withSettings(
	workflow: Workflow,
	values: Record<string, string | number | boolean>,
	nodeName = 'Settings',
): Workflow {
	const { assignments } = nodeOf(workflow, nodeName).parameters.assignments as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	for (const [name, value] of Object.entries(values)) {
		const assignment = assignments.find((one) => one.name === name);
		if (!assignment) throw new Error(`"${nodeName}" does not set "${name}".`);
		assignment.value = value;
	}
	return workflow;
}

/** An archive workflow that writes the ledger, as its user activates that. */
export function withLedger(workflow: Workflow): Workflow {
	for (const node of workflow.nodes) if (node.name.startsWith('Note the ')) node.disabled = false;
	return workflow;
}

/** The archive workflow with the folder that its user enters. */
export function archiveToFolder(folder: string): Workflow {
	const workflow = readWorkflow('archive-to-folder');
	nodeOf(workflow, 'Write recording to folder').parameters.fileName =
		`=${folder}/{{ $json.fileName }}`;
	return workflow;
}

/** rebuild-ledger as the user of a folder sets it up. */
export function rebuildFromFolder(folder: string): Workflow {
	const workflow = readWorkflow('rebuild-ledger');
	const list = nodeOf(workflow, 'List pages of the folder');
	const read = nodeOf(workflow, 'Read files from the folder');
	for (const node of [list, read]) node.disabled = false;
	read.parameters.fileSelector = `=${folder}/{{ $json.file }}`;
	return workflow;
}

/** verify-archive as the user of a folder sets it up. */
export function verifyFolder(): Workflow {
	const workflow = readWorkflow('verify-archive');
	for (const node of workflow.nodes) node.disabled = / (?:S3|SFTP|Google Drive)$/.test(node.name);
	return workflow;
}

/** The node of a sweep in which its user selects the archive workflow. */
export const ARCHIVE_NODE = 'Archive recording with your workflow';

/** The node that starts a sweep. */
export const SWEEP_TRIGGER = 'When a recording is waiting';

/** The sweep with the archive workflow that its user selects. */
export function sweepInto(archiveWorkflowId: string): Workflow {
	const workflow = readWorkflow('sweep-before-purge');
	nodeOf(workflow, ARCHIVE_NODE).parameters.workflowId = {
		__rl: true,
		mode: 'id',
		value: archiveWorkflowId,
	};
	return workflow;
}
