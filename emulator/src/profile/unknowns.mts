import { readFileSync } from 'node:fs';
import { merged } from './merge.mts';
import type { ServiceProfile } from './schema.mts';

/** Something that the service specification leaves open ("not shown"). */
interface Unknown {
	/** What is open, as a noun. */
	readonly open: string;
	/** Names of the profiles in `profiles/<unknown>/`, the assumed one first. */
	readonly shapes: readonly [string, ...string[]];
}

/**
 * Everything open that the emulator can show in several shapes. Each shape is a service profile
 * that says this and nothing else. FAULTS.md names them all, which a test checks.
 */
export const unknowns = {
	makeCallReply: {
		open: 'status and body of the reply to makecall',
		shapes: ['200', '201', '202', '200-empty', '201-empty', '202-empty'],
	},
	list: {
		open: 'shape of the list of recordings',
		shapes: ['array', 'recordings', 'data', 'items', 'paged'],
	},
	emptyList: {
		open: 'reply where no recording is listed',
		shapes: ['list', 'null', 'emptyObject', '204'],
	},
	paging: {
		open: 'how a paged list names its next page',
		shapes: [
			'nextUrl',
			'cursor',
			'emptyPages',
			'pageNumber',
			'pageIndex',
			'offset',
			'linkHeader',
			'hal',
			'afterGuid',
		],
	},
	listOrder: {
		open: 'order of the list',
		shapes: ['oldestFirst', 'newestFirst', 'byGuid'],
	},
	recordFields: {
		open: 'spelling of the field names in a recording record',
		shapes: ['camelCase', 'PascalCase', 'snake_case'],
	},
	recordDetail: {
		open: 'which fields a recording record has',
		shapes: ['full', 'guidOnly'],
	},
	sessionGuid: {
		open: 'spelling of the session GUIDs that the service makes',
		shapes: ['lowerCase', 'upperCase', 'braces', 'noHyphens'],
	},
	download: {
		open: 'whether a download is redirected to a storage address',
		shapes: ['direct', 'otherOrigin', 'relative', 'chain'],
	},
	contentType: {
		open: 'Content-Type of a download',
		shapes: ['exact', 'octet-stream', 'absent', 'hostile'],
	},
	contentLength: {
		open: 'Content-Length of a download',
		shapes: ['present', 'absent'],
	},
	fileName: {
		open: 'file name in the headers of a download',
		shapes: ['present', 'absent', 'hostile'],
	},
	deleteReply: {
		open: 'status and body of the reply to a deletion',
		shapes: ['200-body', '200-empty', '202', '204'],
	},
	unknownGuid: {
		open: 'status for an unknown, deleted or purged session GUID',
		shapes: ['404', '410', '400'],
	},
	sms: {
		open: 'reply of the SMS endpoint that is not yet available',
		shapes: ['501', '404', '405', '200'],
	},
	errorBody: {
		open: 'body of an error',
		shapes: ['nested', 'flat', 'problem', 'text', 'html', 'empty'],
	},
	webhookBody: {
		open: 'body of the CallStart and CallEnd webhooks',
		shapes: ['flat', 'nested', 'PascalCase', 'form', 'deep', 'batch', 'formJson', 'query', 'xml'],
	},
	webhookMethod: {
		open: 'HTTP method of the webhooks',
		shapes: ['POST', 'PUT', 'GET'],
	},
} as const satisfies Record<string, Unknown>;

export type UnknownName = keyof typeof unknowns;

/** One shape for each unknown. */
export type Shapes = {
	-readonly [Name in UnknownName]: (typeof unknowns)[Name]['shapes'][number];
} & {
	/** Recordings on one page of a paged list. The specification does not show this either. */
	pageSize: number;
};

const DEFAULT_PAGE_SIZE = 100;

/** The assumptions: the first shape of each unknown. */
export const assumedShapes: Readonly<Shapes> = {
	...(Object.fromEntries(
		Object.entries(unknowns).map(([name, { shapes }]) => [name, shapes[0]]),
	) as Omit<Shapes, 'pageSize'>),
	pageSize: DEFAULT_PAGE_SIZE,
};

const FOLDER = new URL('../profiles/', import.meta.url);
const read = new Map<string, ServiceProfile>();

/** The profile of one shape. */
export function namedProfile(name: UnknownName, shape: string): ServiceProfile {
	const path = `${name}/${shape}.json`;
	const known = read.get(path);
	if (known) return known;
	const profile = JSON.parse(readFileSync(new URL(path, FOLDER), 'utf8')) as ServiceProfile;
	read.set(path, profile);
	return profile;
}

/** What all shapes say together. */
export function profileOf({ pageSize, ...shapes }: Readonly<Shapes>): ServiceProfile {
	const { paging, ...others } = shapes;
	// A list that is not paged takes the place of the pages, so it comes after them.
	const chosen = Object.entries({ paging, ...others }) as Array<[UnknownName, string]>;
	const profile = merged(chosen.map(([name, shape]) => namedProfile(name, shape)));
	const { list = {} } = profile;
	if (list.paging === undefined || list.paging.kind === 'none') return profile;
	return { ...profile, list: { ...list, paging: { ...list.paging, pageSize } } };
}
