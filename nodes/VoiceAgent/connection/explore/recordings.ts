import type { JsonObject } from '../../../data/json';
import type { NamedFields } from '../../../service/apiCredential';
import { declaresFailure } from '../../../service/http/request';
import type { FoundList } from '../../../service/list/findList';
import { findCallEnd } from '../../../service/retention';
import { recordingPath, RECORDINGS_PATH } from '../../../service/recordings';
import { findSessionGuid, isSessionGuid } from '../../../service/sessionGuid';
import { type Answered, type Asker, type Exchange, requireAccepted } from './asker';
import { namesInWords } from './profile/fieldNames';
import { guidCandidates, isFound, listsIn } from './records';
import type { Finding, Settings } from './settings';

/** So many lists, records of each and fields of a record are tried for a recording. */
const MAX_LISTS = 3;
const MAX_RECORDS = 2;
const MAX_FIELDS = 3;

/** What is known of the list of recordings. */
export interface ListFacts {
	exchange: Exchange;
	answer: Answered;
	list: FoundList;
	/** With the fields that were found to be needed. */
	named: NamedFields;
	/** The download that proves which field has the session GUID. */
	download?: Exchange;
	/** The record of that recording, or the first one. */
	record?: JsonObject;
	/** The session GUID of that recording. */
	sessionGuid?: string;
}

/** A recording that the service has sent, as found in its list. */
interface Proven {
	list: FoundList;
	field: string;
	record: JsonObject;
	sessionGuid: string;
	download: Exchange;
}

/**
 * Asks for the list, and for one recording of it: whatever the service sends for a session GUID
 * proves the list and the field.
 *
 * @throws VoiceAgentError if the service refuses the API key, or cannot be reached
 */
export async function exploreList(
	asker: Asker,
): Promise<{ facts?: ListFacts; findings: Finding[] }> {
	const exchange = await asker.ask('list', RECORDINGS_PATH);
	if (!exchange) return { findings: [] };
	requireAccepted(exchange, asker.access);
	const { answer } = exchange;
	if (!answer || !isList(answer)) {
		const findings = [problem(`The service answers with status ${answer?.status}, and no list.`)];
		return { findings };
	}
	const { named } = asker.access;
	const lists = listsIn(answer.json, named);
	const filled = lists.filter(({ records }) => records.length > 0);
	const proven = await provenRecording(asker, filled, named, answer.serviceTimeMs);
	const list = proven?.list ?? lists[0];
	if (!list || (lists.length > 1 && !proven)) {
		const paths = namesInWords(lists.map(({ path }) => path));
		const answered = `Lists in the answer: ${paths}. None of them could be proven with a download.`;
		return { findings: [problem(answered)] };
	}
	const isAutomatic = isFound(answer.json, named, list.path);
	const listField = isAutomatic ? named.listField : list.path;
	const sessionGuidField = proven?.field ?? named.sessionGuidField;
	const facts: ListFacts = {
		exchange,
		answer,
		list,
		named: { ...named, listField, sessionGuidField },
		record: proven?.record ?? list.records[0],
		...(proven && { download: proven.download, sessionGuid: proven.sessionGuid }),
	};
	return { facts, findings: [listFinding(facts, isAutomatic), guidFinding(facts, named)] };
}

function isList({ status, headers, json, text }: Answered): boolean {
	if (status >= 300) return false;
	// `null` and no content are an empty list.
	const isJson = json !== undefined || text.trim() === '';
	return isJson && !declaresFailure({ status, headers }, json, 'GET');
}

function problem(answer: string): Finding {
	const question = 'Where is the list of recordings?';
	const advice = "Look at the answer in the file, and enter 'List Field' if it has a list";
	return { question, answer, recognized: false, advice };
}

function listFinding({ list, named }: ListFacts, isAutomatic: boolean): Finding {
	const place = list.path === '' ? 'The answer itself is the list' : `In the field '${list.path}'`;
	return {
		question: 'Where is the list of recordings?',
		answer: `${place}, with ${list.records.length} on the first page.`,
		recognized: isAutomatic,
		settings: { listField: named.listField },
	};
}

function guidFinding(facts: ListFacts, before: NamedFields): Finding {
	const question = 'Which field has the session GUID?';
	const { record, sessionGuid, named } = facts;
	if (!record) {
		const answer = 'No recording is listed.';
		return { question, answer, recognized: null, advice: 'Explore again after a recorded call' };
	}
	if (sessionGuid !== undefined) {
		const isAutomatic = named.sessionGuidField === before.sessionGuidField;
		const where = isAutomatic ? 'It is found' : `The field '${named.sessionGuidField}'`;
		const settings: Settings = { sessionGuidField: named.sessionGuidField };
		const answer = `${where}: the service sends a recording for its value.`;
		return { question, answer, recognized: isAutomatic, settings };
	}
	const found = findSessionGuid(record, before.sessionGuidField);
	const isAutomatic = 'sessionGuid' in found;
	const said = isAutomatic ? 'It is found' : `It is not found: ${found.problem}`;
	const answer = `${said}. No recording came for any value that was tried, so nothing is proven.`;
	const advice = "Name it as 'Session GUID Field', and explore again";
	return { question, answer, recognized: isAutomatic, ...(!isAutomatic && { advice }) };
}

/** Tries records until the service sends a recording for a value of one. */
async function provenRecording(
	asker: Asker,
	lists: readonly FoundList[],
	named: NamedFields,
	nowMs: number,
): Promise<Proven | undefined> {
	for (const list of lists.slice(0, MAX_LISTS)) {
		for (const record of newestFirst(list.records, nowMs, named).slice(0, MAX_RECORDS)) {
			for (const { field, sessionGuid } of guidsToTry(record, named)) {
				const download = await asker.ask('download', recordingPath(sessionGuid), { isFile: true });
				const file = download?.answer?.file;
				const isRecording = file !== undefined && file.format !== 'unknown';
				if (download && isRecording) return { list, field, record, sessionGuid, download };
			}
		}
	}
	return undefined;
}

/** What the nodes find first, then what else a record has. */
function guidsToTry(record: JsonObject, { sessionGuidField }: NamedFields) {
	const found = findSessionGuid(record, sessionGuidField);
	const first =
		'sessionGuid' in found ? [{ field: sessionGuidField, sessionGuid: found.sessionGuid }] : [];
	const others = guidCandidates(record)
		.filter(({ value }) => value !== first[0]?.sessionGuid)
		.map(({ path, value }) => ({ field: path, sessionGuid: String(value) }));
	return [...first, ...others].slice(0, MAX_FIELDS).filter((one) => isSessionGuid(one.sessionGuid));
}

/** The one whose call ended last, then the others in their order. */
function newestFirst(records: JsonObject[], nowMs: number, named: NamedFields): JsonObject[] {
	const endOf = (record: JsonObject) => findCallEnd(record, nowMs, named.callEndField) ?? 0;
	const [newest] = [...records].sort((one, other) => endOf(other) - endOf(one));
	return newest ? [newest, ...records.filter((record) => record !== newest)] : [];
}
