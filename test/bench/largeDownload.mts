/** How much memory n8n needs for one large encrypted recording. */
import { byGuid, NODE, PASSWORD, type Stack } from '../../harness/stack.mts';
import { peakBytes } from './measure.mts';

export interface LargeDownload {
	sizeBytes: number;
	durationMs: number;
	/** Resident memory of the n8n process before the run. */
	beforeBytes: number;
	/** How far its peak during the run was above that. */
	growthBytes: number;
}

export async function measureLargeDownload(
	stack: Stack,
	sizeBytes: number,
): Promise<LargeDownload> {
	const download = async (bytes: number) => {
		const { control } = stack.emulator;
		const { sessionGuid, plainSha256, plainBytes } = await control.addRecording({
			format: 'wav',
			sizeBytes: bytes,
			password: PASSWORD,
		});
		const beforeBytes = stack.n8n.memory().rssBytes;
		stack.n8n.resetPeakMemory();
		const execution = await stack.runNode({
			parameters: { resource: 'recording', operation: 'download', recording: byGuid() },
			items: [{ sessionGuid }],
		});
		const item = execution.items(NODE)[0]?.json;
		if (item?.sha256 !== plainSha256 || item.bytes !== plainBytes) {
			throw new Error(`The download went wrong: ${execution.error?.message ?? 'other bytes'}`);
		}
		const growthBytes = peakBytes(stack) - beforeBytes;
		return { sizeBytes: bytes, durationMs: execution.nodeTimeMs(NODE), beforeBytes, growthBytes };
	};
	console.log('Warming up …');
	await download(1_000_000);
	console.log(`One recording of ${Math.round(sizeBytes / 1e6)} MB …`);
	return await download(sizeBytes);
}
