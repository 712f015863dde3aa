import type { Resource } from '../../fields/resource';
import { decryptRecording } from './decrypt.operation';
import { deleteRecording } from './delete.operation';
import { downloadRecording } from './download.operation';
import { getMany } from './getMany.operation';

export const recording: Resource = {
	name: 'Recording',
	value: 'recording',
	description: 'The recording of a call, kept by the service for 7 days',
	operations: [decryptRecording, deleteRecording, downloadRecording, getMany],
	defaultOperation: 'download',
};
