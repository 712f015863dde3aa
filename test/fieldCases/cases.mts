/** The cases of test/vectors/field, and those of them that do not hold yet. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../scripts/paths.mjs';
import type { Outcome } from './outcome.mts';

export interface FieldCase<Input = unknown> {
	id: string;
	kind: Kind;
	/** Address of the report. */
	source: string;
	/** What must hold. */
	why: string;
	input: Input;
	accept: Outcome[];
}

/** What is tried, and where. The README.md of the cases says what each means. */
const RUNNERS = {
	webhook: 'test/engine/fieldWebhooks.test.mts',
	'call-start': 'test/n8n/trigger/fieldCallStarts.mts',
	list: 'test/engine/fieldLists.test.mts',
	download: 'test/engine/fieldRecordings.test.mts',
	decrypt: 'test/engine/fieldRecordings.test.mts',
	numbers: 'test/engine/fieldCalls.test.mts',
	call: 'test/engine/fieldCalls.test.mts',
	'file-decryptor': 'file-decryptor/test/fieldCases.test.mts',
	match: 'test/engine/fieldMatches.test.mts',
};

export type Kind = keyof typeof RUNNERS;

export const runners: ReadonlyMap<string, string> = new Map(Object.entries(RUNNERS));

const folder = join(root, 'test/vectors/field');
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown;

export const cases = read('cases.json') as FieldCase[];

export const casesOf = <Input,>(kind: Kind) =>
	cases.filter((one) => one.kind === kind) as Array<FieldCase<Input>>;

/** Ids of cases by what they wait for. Each list gets shorter until it is empty. */
export const waiting = read('waiting.json') as {
	/** Nobody works on these yet. */
	open: Record<string, string[]>;
	expectedSoon: Record<string, string[]>;
};

/** What a case waits for, by its id. */
export const waitsFor: ReadonlyMap<string, string> = new Map(
	Object.values(waiting)
		.flatMap((lists) => Object.entries(lists))
		.flatMap(([subject, ids]) => ids.map((id): [string, string] => [id, subject])),
);

/** The bytes of a file that a case names. */
export const bytesOf = (file: string): Buffer => readFileSync(join(folder, file));
