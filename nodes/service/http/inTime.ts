/**
 * What a request brings, or an error if that takes too long. The time limit of n8n is for silence only, and none counts
 * after status 101, which switches protocols.
 *
 * @param onLate gets what arrives afterwards
 */
export async function inTime<T>(
	request: Promise<T>,
	limitMs: number,
	onLate: (result: T) => void = () => undefined,
): Promise<T> {
	return await new Promise((resolve, reject) => {
		let isLate = false;
		AbortSignal.timeout(limitMs).addEventListener('abort', () => {
			isLate = true;
			reject(Object.assign(new Error('No answer'), { code: 'ETIMEDOUT' }));
		});
		request.then((result) => {
			resolve(result);
			if (isLate) onLate(result);
		}, reject);
	});
}
