"""Contract suites, fakes and factories: for our tests and for those of users."""
