import { deepCopy, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import { hidePasswords } from '../../../data/hidePasswords';
import { finderOf } from '../../../data/secretForms';
import { type AccountFields, secretsOf } from '../../../service/apiCredential';

/**
 * What the input item says, without the secrets of the account: any node may have made it, and
 * files are named and described by it.
 */
export function inputJson(
	context: IExecuteFunctions,
	itemIndex: number,
	account: AccountFields,
): IDataObject {
	const json = deepCopy(context.getInputData()[itemIndex]?.json ?? {});
	hidePasswords(json, finderOf(secretsOf(account)));
	return json;
}
