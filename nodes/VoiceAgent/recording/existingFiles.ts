import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../errors';
import type { Field } from '../../fields/field';
import type { JsonObject } from '../../data/payload';
import { isJsonObject, jsonOfItem } from '../../data/payload';
import { readBinaryData } from './binary';

export const existingFiles = {
	displayName: 'Existing Files',
	name: 'existingFiles',
	type: 'string',
	ignoreValidationDuringExecution: true,
	default: '',
	placeholder: "e.g. {{ $('Read existing files').all() }}",
	description:
		"Files that must not be overwritten, from the node that reads them. If one has the same name and content, the item is output without a file and with 'exists' set to true. If the content differs, the item fails.",
} as const satisfies Field;

/** Names that the items of one execution use, with the checksum of the file. */
const namesByInput = new WeakMap<object, Map<string, string>>();

/**
 * The output item, without its file if that exists already, so that no node writes it.
 *
 * @param existing value of the option 'Existing Files'
 * @throws VoiceAgentError `fileExists` for a file, or another item, of the same name with another content
 */
export async function unlessExisting(
	context: IExecuteFunctions,
	item: INodeExecutionData,
	existing: unknown,
): Promise<INodeExecutionData> {
	const input = context.getInputData();
	const names = namesByInput.get(input) ?? new Map<string, string>();
	namesByInput.set(input, names);
	const fileName = String(item.json.fileName);
	const sha256 = String(item.json.sha256);
	const name = plain(fileName);
	const former = names.get(name);
	names.set(name, former ?? sha256);
	let exists = former !== undefined;
	if (exists && former !== sha256) throw new VoiceAgentError('fileExists', { detail: fileName });
	for (const file of binariesIn(existing).filter((one) => plain(one.fileName ?? '') === name)) {
		if ((await checksum(context, file)) !== sha256) {
			throw new VoiceAgentError('fileExists', { detail: fileName });
		}
		exists = true;
	}
	const { binary, ...rest } = item;
	return exists ? { ...rest, json: { ...item.json, exists } } : { ...rest, binary };
}

/** Some file systems ignore letter case, and how a letter is composed. */
function plain(fileName: string): string {
	return fileName.normalize('NFC').toLowerCase();
}

function binariesIn(existing: unknown): IBinaryData[] {
	return [existing].flat().flatMap((one: unknown) => {
		if (!isJsonObject(one)) {
			throw invalid("'Existing Files' must be what the node that reads them has output");
		}
		// In n8n's combined binary mode, the JSON of an item holds its files.
		const { _files } = jsonOfItem(one) as JsonObject;
		const fields = isJsonObject(one.binary) ? one.binary : isJsonObject(_files) ? _files : {};
		return Object.values(fields) as unknown as IBinaryData[];
	});
}

async function checksum(context: IExecuteFunctions, file: IBinaryData): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of await readBinaryData(context, file)) hash.update(chunk);
	return hash.digest('hex');
}
