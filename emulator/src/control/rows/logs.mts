import { Type } from 'typebox';
import { LogEntry, LogStates, RequestEntry } from '../../logs/schemas.mts';
import { ref } from '../../schema.mts';
import { control } from '../row.mts';

export const logControls = {
	/** Requests to the service, oldest first, with raw headers. */
	requests: control({
		method: 'GET',
		path: '/requests',
		summary: 'Requests that were received, with raw headers, body and the fault that hit it',
		reply: Type.Array(ref(RequestEntry)),
		run: ({ requestLog }) => requestLog.all(),
	}),
	/** What happened, oldest first. */
	log: control({
		method: 'GET',
		path: '/log',
		summary: 'What happened',
		reply: Type.Array(ref(LogEntry)),
		run: ({ log }) => log.all(),
	}),
	/** How much each log holds, and how many entries it has dropped. */
	logs: control({
		method: 'GET',
		path: '/logs',
		summary: 'How much deliveries, requests and log hold, and how many entries they have dropped',
		reply: ref(LogStates),
		run: ({ webhooks, requestLog, log }) => ({
			deliveries: webhooks.deliveriesState(),
			requests: requestLog.state(),
			log: log.state(),
		}),
	}),
	/** Empties `deliveries`, `requests` and `log`. */
	clearLogs: control({
		method: 'DELETE',
		path: '/logs',
		summary: 'Empty deliveries, requests and log',
		run({ webhooks, requestLog, log }) {
			webhooks.clear();
			requestLog.clear();
			log.clear();
		},
	}),
};
