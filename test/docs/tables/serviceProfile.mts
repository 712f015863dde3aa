/** A small service profile: what a service answers for a session GUID that nobody has. */
export const serviceProfile = {
	version: 1,
	exchanges: [
		{
			name: 'unknownGuid',
			request: {
				method: 'GET',
				path: '/api/customer/recordings/00000000-0000-4000-8000-000000000000',
				query: {},
			},
			answer: {
				status: 410,
				headers: { 'content-type': 'application/json' },
				json: { fault: { code: 'not_found' } },
			},
		},
	],
};
