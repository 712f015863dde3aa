import type { IDataObject } from 'n8n-workflow';

import type { JsonAnswer } from '../service/request';

/**
 * The answer to a request that must not be repeated, as output.
 *
 * n8n runs a node with Retry On Fail again when the first output item has an `error` at its top, which would dial a
 * second time. A field of that name is therefore moved to `serviceError`.
 */
export function passThrough({ status, json }: Pick<JsonAnswer, 'status' | 'json'>): IDataObject {
	if (json === undefined) return { accepted: true, httpStatus: status };
	if (typeof json !== 'object' || json === null || Array.isArray(json)) {
		return { response: json as IDataObject };
	}
	if (!('error' in json)) return json as IDataObject;
	const { error, ...others } = json as IDataObject;
	return { ...others, serviceError: error };
}
