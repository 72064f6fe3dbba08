// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Ends a server when this JVM is gone. A shell waits on a pipe whose other end only this
 * JVM holds: a line asks it to leave; the end of the pipe means that the JVM has ended,
 * even by {@code kill -9}. It ignores signals of a terminal, so that it outlives the JVM.
 */
final class ParentWatch implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ParentWatch.class);

	private static final String SCRIPT = """
			trap '' INT TERM HUP
			read -r line && exit
			kill -9 "$1"
			rm -rf "$2"
			""";

	private final @Nullable Process shell;

	private ParentWatch(@Nullable Process shell) {
		this.shell = shell;
	}

	static ParentWatch over(Process server, Path directory) {
		try {
			return new ParentWatch(new ProcessBuilder("sh", "-c", SCRIPT, "parent-watch", String.valueOf(server.pid()),
					directory.toString())
				.redirectOutput(Redirect.DISCARD)
				.redirectError(Redirect.DISCARD)
				.start());
		}
		catch (IOException ex) {
			logger.debug("Without a shell, the embedded Redis outlives a JVM that is killed", ex);
			return new ParentWatch(null);
		}
	}

	@Override
	public void close() {
		if (this.shell == null) {
			return;
		}
		try (OutputStream pipe = this.shell.getOutputStream()) {
			pipe.write('\n');
		}
		catch (IOException ex) {
			logger.debug("The watch has already ended", ex);
		}
	}

}
