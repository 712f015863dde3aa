#!/bin/sh
# Makes src/audio/samples, the audio of all recordings, with ffmpeg. The sound is a computed voice
# that hums up and down over faint noise, so it has no author. With these options, all mp3 frames
# and all opus packets are equally long, and no mp3 frame needs another one.
set -e
cd "$(dirname "$0")/../src/audio/samples"
pitch='(950+250*sin(1.7*t))*t'
voice="0.2*(0.7+0.3*sin(27*t))*(sin($pitch)+0.5*sin(2*$pitch))"
noise='0.01*(random(0)-0.5)'
ffmpeg -y -loglevel error -f lavfi -i "aevalsrc=$voice+$noise:sample_rate=16000:duration=10" \
	-bitexact -t 3 sample.wav \
	-bitexact -b:a 32k -reservoir 0 -write_xing 0 -id3v2_version 0 sample.mp3 \
	-bitexact -b:a 24k -vbr off -application voip -serial_offset 1 -metadata:s:a encoder=x sample.opus
