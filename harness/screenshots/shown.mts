/** Digests of what the pictures show, kept with them: they say which pictures are older than it. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { nodeOf, readWorkflow } from '../workflows.mts';
import { mainPaths, OVERVIEW } from './mainPaths.mts';

export const IMAGES = join(import.meta.dirname, '../../docs/images');
export const DIGESTS = join(IMAGES, 'shown.json');

const built = (name: string) => `nodes/${name}/${name}.node.js`;
/** For pictures of a form: the built file, and the operation or event that it shows. */
const forms: Record<string, [file: string, shown?: string]> = {
	'node-get-many': [built('VoiceAgent'), 'getMany'],
	'node-delete': [built('VoiceAgent'), 'delete'],
	'node-make-call': [built('VoiceAgent'), 'make'],
	'node-trigger': [built('VoiceAgentTrigger'), 'callEnd'],
	'node-call-start': [built('VoiceAgentTrigger'), 'callStart'],
	'node-recording-trigger': [built('VoiceAgentRecordingTrigger')],
	'credential-api': ['credentials/VoiceAgentApi.credentials.js'],
	'credential-webhook': ['credentials/VoiceAgentWebhookApi.credentials.js'],
};
const FIELD = ['displayName', 'type', 'default', 'placeholder', 'options', 'name'];

export function digestOf(picture: string): string {
	const form = forms[picture];
	const shown = form ? shownOfForm(...form) : shownOfWorkflow(picture);
	return createHash('sha256').update(shown).digest('hex').slice(0, 12);
}

function shownOfForm(file: string, shown?: string): string {
	type Field = { displayOptions?: { show?: Record<string, unknown[]> } };
	type Shown = new () => { properties?: Field[]; description?: { properties: Field[] } };
	const exported = createRequire(import.meta.url)(`../../dist/${file}`) as Record<string, Shown>;
	const fields = Object.values(exported).flatMap((Type) => {
		const { properties, description } = new Type();
		return properties ?? description?.properties ?? [];
	});
	const isShown = ({ displayOptions: { show = {} } = {} }: Field) =>
		['operation', 'event'].every((by) => show[by]?.includes(shown) ?? true);
	return JSON.stringify(fields.filter(isShown), FIELD);
}

function shownOfWorkflow(picture: string): string {
	if (picture === 'status-page') {
		return JSON.stringify(nodeOf(readWorkflow(picture), 'Write the page').parameters);
	}
	const file = /^workflow-(.*?)(-full)?$/.exec(picture);
	const isFour = picture === 'four-nodes';
	const name = file?.[1] ?? (isFour ? 'archive-in-four-nodes' : 'archive-to-google-drive');
	const path = file?.[2] ? undefined : mainPaths[name];
	const { nodes, connections } = readWorkflow(name);
	const shown = nodes
		.filter((node) => path?.includes(node.name) ?? (file !== null || node.name !== OVERVIEW))
		.map((node) => [node.name, node.type, node.position, node.disabled, node.parameters.content]);
	return JSON.stringify([shown, connections]);
}
