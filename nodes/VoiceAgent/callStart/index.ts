import type { Resource } from '../../fields/resource';
import { respond } from './respond.operation';

export const callStart: Resource = {
	name: 'Call Start',
	value: 'callStart',
	description: 'The webhook at the start of a call, whose reply switches recording on',
	operations: [respond],
	defaultOperation: 'respond',
};
