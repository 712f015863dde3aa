import type { IDataObject } from 'n8n-workflow';

import { withoutPasswords } from '../data/hidePasswords';
import { isJsonObject } from '../data/json';
import type { JsonAnswer } from '../service/http/request';

/**
 * The answer to a request that must not be repeated, as output.
 *
 * With Retry On Fail, n8n runs a node again if its first output item has a top-level field `error`.
 * That would dial a second time, so this field is renamed to `serviceError`.
 */
export function passThrough(
	answer: Pick<JsonAnswer, 'status' | 'json'> & Partial<JsonAnswer>,
): IDataObject {
	const { status, headers, secrets = [] } = answer;
	const json = withoutPasswords(answer.json, secrets);
	const location = withoutPasswords(headers?.location as string | undefined, secrets);
	if (json === undefined) {
		return { accepted: true, httpStatus: status, ...(location && { location }) };
	}
	if (!isJsonObject(json)) return { response: json as IDataObject };
	if (!('error' in json)) return json as IDataObject;
	const { error, ...others } = json as IDataObject;
	return { ...others, serviceError: error };
}
