import type { Resource } from '../../fields/resource';
import { send } from './send.operation';

export const sms: Resource = {
	name: 'SMS',
	value: 'sms',
	description: 'A text message',
	operations: [send],
	defaultOperation: 'send',
};
