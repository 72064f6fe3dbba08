// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.ge.redis.test.Stopwatch;
import org.jspecify.annotations.Nullable;

/**
 * Calls one instance of the desk over HTTP.
 */
class DeskClient {

	private static final HttpClient HTTP = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(5))
		.build();

	private final String baseUrl;

	DeskClient(int port) {
		this.baseUrl = "http://127.0.0.1:" + port;
	}

	/**
	 * Calls without a body.
	 * @param headers names and values in turn
	 */
	Answer get(String path, String... headers) {
		return send("GET", path, null, headers);
	}

	Answer post(String path, @Nullable String json, String... headers) {
		return send("POST", path, json, headers);
	}

	Answer put(String path, String json, String... headers) {
		return send("PUT", path, json, headers);
	}

	/**
	 * Calls and reads the lines of the body as they come. The call ends when its body is
	 * closed.
	 */
	HttpResponse<Stream<String>> listen(String path) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(url(path))).timeout(Duration.ofSeconds(30)).build();
		try {
			return HTTP.send(request, BodyHandlers.ofLines());
		}
		catch (IOException ex) {
			throw new IllegalStateException(path, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	String url(String path) {
		return this.baseUrl + path;
	}

	private Answer send(String method, String path, @Nullable String json, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)))
			.timeout(Duration.ofSeconds(30))
			.method(method, (json != null) ? BodyPublishers.ofString(json) : BodyPublishers.noBody());
		if (json != null) {
			request.header("Content-Type", "application/json");
		}
		if (headers.length > 0) {
			request.headers(headers);
		}
		try {
			Stopwatch watch = Stopwatch.start();
			HttpResponse<String> response = HTTP.send(request.build(), BodyHandlers.ofString());
			return new Answer(response, watch.elapsed());
		}
		catch (IOException ex) {
			throw new IllegalStateException(method + " " + path, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	String login(String username) {
		return post("/api/auth/login", "{\"username\":\"" + username + "\",\"password\":\"demo\"}").text("accessToken");
	}

	/**
	 * Makes all calls at once.
	 */
	static List<Answer> parallel(int calls, IntFunction<Answer> call) {
		ExecutorService threads = Executors.newFixedThreadPool(calls);
		CountDownLatch ready = new CountDownLatch(calls);
		try {
			List<Future<Answer>> futures = new ArrayList<>();
			for (int i = 0; i < calls; i++) {
				int number = i;
				futures.add(threads.submit(() -> {
					ready.countDown();
					ready.await();
					return call.apply(number);
				}));
			}
			List<Answer> answers = new ArrayList<>();
			for (Future<Answer> future : futures) {
				answers.add(future.get());
			}
			return answers;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		finally {
			threads.shutdownNow();
		}
	}

	static List<Answer> withStatus(List<Answer> answers, int status) {
		return answers.stream().filter((answer) -> answer.status() == status).toList();
	}

}
