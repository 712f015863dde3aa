/** Run by storage.test.mts: writes and deletes recordings until it is killed. */
import { createEmulator } from '../src/index.mts';
import { recordingPath } from './helpers.mts';

const emulator = await createEmulator({ dataDir: process.argv[2] });
emulator.control.placeCall({ to: '+1', durationSeconds: 600 });
process.send?.('ready');
const workers = [1, 2, 3].map(async () => {
	for (;;) {
		const { sessionGuid } = await emulator.control.addRecording({
			content: Buffer.alloc(300_000),
		});
		if (Math.random() < 0.5) {
			await fetch(new URL(recordingPath(sessionGuid), emulator.url), {
				method: 'DELETE',
				headers: [['Token', 'demo-key']],
			});
		}
	}
});
await Promise.all(workers);
