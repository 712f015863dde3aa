import type { ResourceDescription } from '../../fields/resource';

export const resource: ResourceDescription = {
	name: 'Recording',
	value: 'recording',
	description: 'The recording of a call, which the service keeps for 7 days',
	defaultOperation: 'download',
};

export { decryptRecording } from './decrypt.operation';
export { deleteRecording } from './delete.operation';
export { downloadRecording } from './download.operation';
export { getMany } from './getMany.operation';
