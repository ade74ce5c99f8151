package clientcmd

import restclient "vedette.dev/rest"

// PersistAuthProviderConfigForUser makes the persister of a user.
type PersistAuthProviderConfigForUser func(user string) restclient.AuthProviderConfigPersister

// PersisterForUser returns what writes the config of an auth provider back to the file its user came from. Auth
// providers are gone, so only a program that brings its own can have a use for it.
func PersisterForUser(configAccess ConfigAccess, user string) restclient.AuthProviderConfigPersister {
	return &persister{configAccess, user}
}

type persister struct {
	access ConfigAccess
	user   string
}

func (p *persister) Persist(config map[string]string) error {
	changed, err := p.access.GetStartingConfig()
	if err != nil {
		return err
	}
	user := changed.AuthInfos[p.user]
	if user == nil || user.AuthProvider == nil {
		return nil
	}
	user.AuthProvider.Config = config
	return ModifyConfig(p.access, *changed, false)
}
