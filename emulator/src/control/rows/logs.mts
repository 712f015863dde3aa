import { Type } from 'typebox';
import { LogEntry } from '../../logs/logSchema.mts';
import { RequestEntry } from '../../logs/requestSchema.mts';
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
