import { parseSessionGuid } from '../../shared/sessionGuid';
import { itemsAtOnce, recording } from '../fields';
import { itemOf, operation } from '../operation';
import { request } from '../transport';
import { recordingPath } from './recordingPath';

export const deleteRecording = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a recording',
	description: 'Delete a recording at the service; one that is already gone counts as deleted',
	fields: [
		recording,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			placeholder: 'Add option',
			options: [itemsAtOnce],
		},
	],
	async execute(values, itemIndex) {
		const sessionGuid = parseSessionGuid(values.recording);
		const { status } = await request(this, 'DELETE', recordingPath(sessionGuid), {
			acceptStatuses: [404, 410],
		});
		const alreadyGone = status === 404 || status === 410;
		return [itemOf(itemIndex, { sessionGuid, deleted: true, ...(alreadyGone && { alreadyGone }) })];
	},
});
