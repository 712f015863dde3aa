/**
 * Code for `node --require`: writes the peak memory of the process, in bytes, into the file that
 * PEAK_MEMORY_FILE names. On Linux, it comes from /proc, because the kernel's resource usage starts
 * with that of the parent process.
 */
export const peakMemoryHook = `
process.on('exit', () => {
	const { readFileSync, writeFileSync } = require('node:fs');
	let kibibytes = process.resourceUsage().maxRSS;
	try {
		kibibytes = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
	} catch {}
	writeFileSync(process.env.PEAK_MEMORY_FILE, String(kibibytes * 1024));
});
`;
