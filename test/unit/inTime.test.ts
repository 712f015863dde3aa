import { testApi } from '../../nodes/service/credentialTests';
import { inTime } from '../../nodes/service/http/inTime';

const later = (ms: number) =>
	new Promise<string>((resolve) =>
		AbortSignal.timeout(ms).addEventListener('abort', () => resolve('an answer')),
	);

test('what comes in time, and the reason of a failure', async () => {
	await expect(inTime(later(1), 10_000)).resolves.toBe('an answer');
	await expect(inTime(Promise.reject(new Error('refused')), 10_000)).rejects.toThrow('refused');
});

test('what comes too late is an error, and is handed over once it is there', async () => {
	const late = new Promise((resolve) => {
		void expect(inTime(later(60), 20, resolve)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	});
	await expect(late).resolves.toBe('an answer');
});

test('the test of the API credential ends although no answer comes', async () => {
	const { timeout } = AbortSignal;
	const limits: number[] = [];
	const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		limits.push(ms);
		return timeout.call(AbortSignal, 10);
	});
	const helpers = { request: async () => await new Promise(() => undefined) };
	const data = { baseUrl: 'https://service.example', apiKey: 'a-key' };
	const credential = { id: '', name: '', type: 'voiceAgentApi', data };
	await expect(testApi.call({ helpers } as never, credential)).resolves.toEqual({
		status: 'Error',
		message: expect.stringContaining('time-out') as string,
	});
	expect(limits).toEqual([40_000]);
	spy.mockRestore();
});
