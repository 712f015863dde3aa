/**
 * What the pictures show. A digest of it stands in each picture, behind its last byte, and says
 * when the picture is too old. Only taking the picture again renews it.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { WorkflowNode } from '../n8n/n8n.mts';
import { readWorkflow } from '../workflows.mts';

export const IMAGES = join(import.meta.dirname, '../../docs/images');

const DIGEST = /\nshows ([0-9a-f]{12})\n(?:-->\n)?$/;
const FIELD = ['displayName', 'type', 'default', 'placeholder', 'options', 'name'];

const { repository } = JSON.parse(
	readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as { repository: { url: string } };
const REPOSITORY = repository.url.replace(/^git\+|\.git$/g, '');
/** Its address in links of notes, when the pictures were taken. No picture shows an address. */
const WHEN_TAKEN = 'https://github.com/n8n-nodes-voiceagent/n8n-nodes-voiceagent';

export function digestOf({ of }: { of(): unknown }): string {
	const shown = JSON.stringify(of()).replaceAll(REPOSITORY, WHEN_TAKEN);
	return createHash('sha256').update(shown).digest('hex').slice(0, 12);
}

/** Writes the digest of what it shows behind a picture that was just taken. Viewers end before. */
export function writeDigest(path: string, digest: string): void {
	const line = `\nshows ${digest}\n`;
	appendFileSync(path, path.endsWith('.svg') ? `<!--${line}-->\n` : line);
}

/** The digest that stands in a picture, or undefined. */
export function readDigest(path: string): string | undefined {
	return DIGEST.exec(readFileSync(path, 'latin1').slice(-40))?.[1];
}

/**
 * The fields in the form of a built node or credential.
 *
 * @param shown the operation or the event; without one, all
 */
export function fieldsOf(file: string, shown?: unknown): string {
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

/** The canvas of a workflow. */
export function canvasOf(name: string, isShown: (node: WorkflowNode) => boolean): unknown[] {
	const { nodes, connections } = readWorkflow(name);
	const shown = nodes
		.filter(isShown)
		.map((node) => [
			...[node.name, subtitleOf(node), node.type, node.position, node.disabled],
			node.parameters.content,
		]);
	return [shown, connections];
}

/**
 * What the canvas shows below the name of a node. A node of this package has a list of its
 * operations, and most others show theirs.
 */
function subtitleOf({ type, parameters: { resource, operation } }: WorkflowNode): unknown[] {
	const isOwn = type === 'n8n-nodes-voiceagent.voiceAgent';
	return [resource, operation, isOwn && ownSubtitles()];
}

/** The expression with the titles of all operations. */
function ownSubtitles(): unknown {
	const { VoiceAgent } = createRequire(import.meta.url)(
		'../../dist/nodes/VoiceAgent/VoiceAgent.node.js',
	) as { VoiceAgent: new () => { description: { subtitle: string } } };
	return new VoiceAgent().description.subtitle;
}

/** What the nodes of a workflow do. Its notes are not in a message or on a page. */
export const parametersOf = (name: string) =>
	readWorkflow(name)
		.nodes.filter(({ type }) => !type.endsWith('.stickyNote'))
		.map(({ parameters }) => parameters);
