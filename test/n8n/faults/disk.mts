/** A disk of its own for a folder, which can be full for real. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';

const SIZE = 'size=1g';
/** A size of 0 would be no limit. */
const LEAST_BYTES = 4096;

/** @returns nothing where that is not allowed */
export function mountDisk(folder: string) {
	mkdirSync(folder, { recursive: true });
	if (process.platform !== 'linux') return undefined;
	const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', SIZE, 'tmpfs', folder]);
	if (mounted.status !== 0) return undefined;
	const unmount = () => {
		process.off('exit', unmount);
		execFileSync('umount', ['--lazy', folder]);
	};
	// In case this process ends before the test has ended.
	process.on('exit', unmount);
	const resize = (size: string) => execFileSync('mount', ['-o', `remount,${size}`, folder]);
	return {
		/** Leaves no room for another byte. */
		fill() {
			const { blocks, bfree, bsize } = statfsSync(folder);
			resize(`size=${Math.max(LEAST_BYTES, (blocks - bfree) * bsize)}`);
		},
		free: () => void resize(SIZE),
		unmount,
	};
}
