// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Pattern;

import io.ge.redis.core.hash.Sha256;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.Assert;
import org.springframework.web.util.HtmlUtils;

/**
 * The console: one page below the path of the endpoint {@code geredis}, which asks that
 * endpoint for everything it shows. Its policy allows the script and the style of the
 * page itself, and requests to the same origin.
 */
final class ConsolePage {

	private static final ClassPathResource RESOURCE = new ClassPathResource("console.html", ConsolePage.class);

	private static final EndpointId ENDPOINT = EndpointId.of(GeRedisEndpoint.ID);

	private static final String READ_ONLY = "data-access=\"read-only\"";

	private static final String UNRESTRICTED = "data-access=\"unrestricted\"";

	private static final String DOCS = "ge.redis.console.docs";

	private static final String NO_DOCS = "data-docs=\"\"";

	private static final Pattern ADDRESS = Pattern.compile("(https?://|/(?!/))\\S*\\{page}\\S*");

	private final String path;

	private final byte[] html;

	private final Map<String, String> headers;

	/**
	 * Creates the page, with its actions where the endpoint may be written to.
	 * @param docs the address of the pages of documentation with <code>{page}</code> for
	 * the name of a page, or empty for no links to them
	 */
	public ConsolePage(PathMappedEndpoints endpoints, EndpointAccessResolver access, String docs) {
		if (!docs.isEmpty() && !ADDRESS.matcher(docs).matches()) {
			throw new InvalidConfigurationPropertyValueException(DOCS, docs,
					"It must begin with https://, http:// or /, and have {page} in place of the name of a page, "
							+ "such as https://docs.example.com/ge-redis/docs/{page}.html");
		}
		this.path = endpoints.getPath(ENDPOINT) + "/console";
		String page = read();
		boolean writable = access.accessFor(ENDPOINT, Access.READ_ONLY) == Access.UNRESTRICTED;
		String linked = page.replace(NO_DOCS, "data-docs=\"" + HtmlUtils.htmlEscape(docs) + '"');
		this.html = (writable ? linked.replace(READ_ONLY, UNRESTRICTED) : linked).getBytes(StandardCharsets.UTF_8);
		this.headers = Map.of("Content-Type", "text/html;charset=UTF-8", "Cache-Control", "no-store", "Referrer-Policy",
				"no-referrer", "X-Content-Type-Options", "nosniff", "X-Frame-Options", "DENY",
				"Content-Security-Policy",
				"default-src 'none'; script-src " + hash(page, "script") + "; style-src " + hash(page, "style")
						+ "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
						+ "frame-ancestors 'none'; require-trusted-types-for 'script'");
	}

	public String path() {
		return this.path;
	}

	public byte[] html() {
		return this.html.clone();
	}

	public Map<String, String> headers() {
		return this.headers;
	}

	private static String read() {
		try {
			return RESOURCE.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String hash(String page, String tag) {
		int begin = page.indexOf('<' + tag + '>');
		int end = page.indexOf("</" + tag + '>');
		Assert.state(begin >= 0 && end > begin, () -> "The console has no " + tag);
		String content = page.substring(begin + tag.length() + 2, end);
		return "'sha256-" + Base64.getEncoder().encodeToString(Sha256.of(content)) + "'";
	}

	/**
	 * Keeps the page in a native image.
	 */
	public static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerResource(RESOURCE);
		}

	}

}
