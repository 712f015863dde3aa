import type { ResourceDescription } from '../../fields/resource';

export const resource: ResourceDescription = {
	name: 'SMS',
	value: 'sms',
	description: 'A text message (not yet available)',
	defaultOperation: 'send',
};

export { send } from './send.operation';
