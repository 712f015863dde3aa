/** The workflows of this repository, ready for n8n. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workflow } from './n8n.mts';

/** `workflows/<name>.json`, as it is. */
export function readWorkflow(name: string): Workflow {
	const file = join(import.meta.dirname, '..', 'workflows', `${name}.json`);
	return JSON.parse(readFileSync(file, 'utf8')) as Workflow;
}

/** The archive workflow with the one setting that its user enters. */
export function archiveToFolder(folder: string): Workflow {
	const workflow = readWorkflow('archive-to-folder');
	const settings = workflow.nodes.find(({ name }) => name === 'Settings');
	if (!settings) throw new Error('workflows/archive-to-folder.json has no node "Settings".');
	const assignment = { id: 'a1', name: 'archiveFolder', value: folder, type: 'string' };
	settings.parameters.assignments = { assignments: [assignment] };
	return workflow;
}
